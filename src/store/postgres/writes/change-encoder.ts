/**
 * Encodes changes as lines for COPY, in the thread that parsed them, so that the main thread neither
 * cuts terms nor writes cells.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { finish } from '../../../ontology/values/steps.ts'
import { recordBytes } from '../../batch.ts'
import type { Change, ChangeEncoder, EncodedChanges } from '../../object-store.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { LAYOUT } from '../catalogue/table-layout.ts'
import { type LongTextNumbers, longTextNumbers } from '../text/long-texts.ts'
import { type TermPart, Vocabulary } from '../text/vocabulary.ts'
import { type LineWriter, lineWriter } from './row-lines.ts'

/** Some changes of a batch, or some of its terms. */
export type EncodedContent = EncodedLines | { readonly terms: TermPart }

export interface EncodedLines {
  readonly keys: readonly string[]
  /** The lines of all objects, one after the other, in the order of the keys. */
  readonly lines: Uint8Array
  /** Where the line of each key ends. The line of an object to delete is empty. */
  readonly ends: Uint32Array
  /** The bytes of the largest record. */
  readonly maxRecordBytes: number
  readonly longTexts: LongTextNumbers
}

/** What the encoder knows about a type. */
export interface EncoderOptions {
  readonly fields: readonly FieldColumns[]
}

/** A thread calls it for each batch; see `ChangeEncoding`. */
export function createEncoder(_objectType: ObjectType, options: unknown): ChangeEncoder {
  const { fields } = options as EncoderOptions
  const vocabulary = new Vocabulary()
  const writeLine = lineWriter({ fields, layout: LAYOUT }, vocabulary)
  return {
    encode: (changes) => encodeLines(changes, fields, writeLine),
    finish: () =>
      Array.from(vocabulary.parts(), (terms) => ({ count: 0, content: { terms }, transfer: [] })),
  }
}

function encodeLines(
  changes: readonly Change[],
  fields: readonly FieldColumns[],
  writeLine: LineWriter,
): EncodedChanges {
  const ends = new Uint32Array(changes.length)
  const buffer = new LineBuffer()
  const objects = changes.flatMap((change) => ('put' in change ? [change.put] : []))
  const keys = changes.map((change, index) => {
    if ('put' in change) buffer.add(finish(writeLine(change.put)))
    ends[index] = buffer.length
    return 'put' in change ? change.put.pk : change.delete
  })
  const lines = buffer.bytes()
  const content: EncodedLines = {
    keys,
    lines,
    ends,
    maxRecordBytes: objects.reduce((most, object) => Math.max(most, recordBytes(object)), 0),
    longTexts: longTextNumbers(fields, objects),
  }
  return { count: changes.length, content, transfer: [lines.buffer, ends.buffer] }
}

const FIRST_BYTES = 256 * 1024
/** UTF-8 takes at most three bytes for each UTF-16 code unit. */
const MAX_UTF8_BYTES = 3

class LineBuffer {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  length = 0

  add(line: string): void {
    const needed = this.length + MAX_UTF8_BYTES * line.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length))
      larger.set(this.#buffer.subarray(0, this.length))
      this.#buffer = larger
    }
    this.length += this.#buffer.write(line, this.length, 'utf8')
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length)
  }
}
