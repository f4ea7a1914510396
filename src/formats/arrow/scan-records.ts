/**
 * Finds the values in records of exports, which are JSON objects, one per line, without parsing them to
 * objects: that takes most of the time of an export.
 */
import { addedProperty } from '../table-file.ts'
import { JsonKey, JsonSource } from './json-source.ts'
import type { ValueColumn } from './value-columns.ts'

const [COMMA, COLON, OPEN_BRACE, CLOSE_BRACE, LOWER_N] = [0x2c, 0x3a, 0x7b, 0x7d, 0x6e]

/** A column, by the name that its values have in records. */
export interface NamedColumn {
  readonly name: string
  readonly values: Pick<ValueColumn, 'append'>
}

/** Reads records one by one into columns. */
export class RecordScanner {
  readonly #columns: readonly NamedColumn[]
  readonly #keys: readonly JsonKey[]
  #source = new JsonSource(new Uint8Array())

  constructor(columns: readonly NamedColumn[]) {
    this.#columns = columns
    this.#keys = columns.map(({ name }) => new JsonKey(name))
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
    if (source.skipSpace() === CLOSE_BRACE) source.at += 1
    else {
      do {
        index = this.#findColumn(source, index)
        if (source.skipSpace() === LOWER_N) source.skipValue()
        else this.#columns[index]?.values.append(source, row)
        index += 1
      } while (source.take(COMMA))
      source.expect(CLOSE_BRACE)
    }
    return source.at - start
  }

  /** Moves behind the name of a property and its colon; returns its column. */
  #findColumn(source: JsonSource, first: number): number {
    // As the service stores objects, and in their order.
    if (this.#keys[first]?.skip(source)) return first
    source.skipSpace()
    const name = source.parse()
    const index = this.#columns.findIndex((column) => column.name === name)
    if (index === -1) throw addedProperty(String(name))
    source.expect(COLON)
    return index
  }
}
