/**
 * Finds the values in records of exports, which are JSON objects, one per line, without parsing them to
 * objects: that takes most of the time of an export.
 */
import { addedProperty } from '../table-file.ts'
import { JsonSource } from './json-source.ts'
import type { ValueColumn } from './value-columns.ts'

const [COMMA, COLON, OPEN_BRACE, CLOSE_BRACE, LOWER_N] = [0x2c, 0x3a, 0x7b, 0x7d, 0x6e]
const NULL = Buffer.from('null')

/** A column, by the name that its values have in records. */
export interface NamedColumn {
  readonly name: string
  readonly values: ValueColumn
}

/** Reads records one by one into columns. */
export class RecordScanner {
  readonly #columns: readonly NamedColumn[]
  /** The names as records have them: between quotes. Names contain nothing that JSON escapes. */
  readonly #keys: readonly Uint8Array[]
  #source = new JsonSource(new Uint8Array())

  constructor(columns: readonly NamedColumn[]) {
    this.#columns = columns
    this.#keys = columns.map(({ name }) => new Uint8Array(Buffer.from(JSON.stringify(name))))
  }

  start(records: Uint8Array): void {
    this.#source = new JsonSource(records)
  }

  /** Puts the values of the next record into a row of the columns; returns its bytes, 0 if there is none. */
  next(row: number): number {
    const source = this.#source
    if (source.skipSpace() === undefined) return 0
    const start = source.at
    source.expect(OPEN_BRACE)
    // The column after the one that was found last: records have their properties in one order.
    let index = 0
    let last = source.skipSpace()
    if (last === CLOSE_BRACE) source.at += 1
    while (last !== CLOSE_BRACE) {
      index = this.#findColumn(source, index)
      source.expect(COLON)
      const { values } = this.#columns[index] as NamedColumn
      if (source.skipSpace() === LOWER_N) source.skip(NULL)
      else values.append(source, row)
      index += 1
      last = source.skipSpace()
      source.expect(last === CLOSE_BRACE ? CLOSE_BRACE : COMMA)
    }
    return source.at - start
  }

  #findColumn(source: JsonSource, first: number): number {
    source.skipSpace()
    const { length } = this.#keys
    for (let tried = 0; tried < length; tried += 1) {
      const index = (first + tried) % length
      if (source.skip(this.#keys[index] as Uint8Array)) return index
    }
    throw addedProperty(String(source.parse()))
  }
}
