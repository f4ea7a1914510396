/** Encodes changes for the writer thread, in the thread that parsed them. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Change, ChangeEncoder } from '../../object-store.ts'
import { FieldNumbers, type StoredField } from '../../sql/compile/field-numbers.ts'
import type { NumberedTexts } from '../../sql/text/text-index.ts'
import { WordCutter } from '../../sql/text/word-cutter.ts'
import { columnsOf, type EncodedRows, putEncoder } from './change-message.ts'
import { encodeRows } from './encoded-rows.ts'

const TERM_BYTES = 64 * 1024

/** A thread calls it for each batch; see `ChangeEncoding`. `fields` are rows of the catalogue. */
export function createEncoder(objectType: ObjectType, fields: unknown): ChangeEncoder {
  const numbers = new FieldNumbers(fields as readonly StoredField[])
  // A field without a number is not in the newest definition; the store then refuses the batch.
  const numberOf = (field: FieldId) => numbers.numberOf(field) ?? 0
  const cutter = new WordCutter()
  let termBytes = TERM_BYTES
  let buffer = new TermBuffer(0)
  const cutTerms = ({ searchable: { texts } }: StoredObject): number =>
    buffer.add(
      cutter.cut(texts.map((text): NumberedTexts => [numberOf(text), text.values, text.language])),
    )
  const columns = columnsOf(objectType)
  const encodePut = putEncoder(columns, cutTerms)
  return {
    encode(changes) {
      buffer = new TermBuffer(termBytes)
      const { count, keys, rows } = encodeRows(messagesOf(changes), columns.fields.length)
      const terms = buffer.bytes()
      // The terms of the next block need about as much.
      termBytes = Math.ceil(1.1 * terms.length)
      const content: EncodedRows = { keys, rows, terms }
      const transfer = [keys.buffer, rows.buffer, terms.buffer]
      return { count, content, transfer }
    },
    finish: () => [],
  }

  function* messagesOf(changes: Iterable<Change>) {
    for (const change of changes) {
      yield 'delete' in change ? ([change.delete] as const) : encodePut(change.put)
    }
  }
}

class TermBuffer {
  #buffer: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(bytes: number) {
    this.#buffer = new Uint8Array(bytes)
  }

  /** Returns the number of bytes that were added. */
  add(terms: Uint8Array): number {
    const needed = this.#length + terms.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(2 * needed)
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(terms, this.#length)
    this.#length = needed
    return terms.length
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
