/**
 * Encodes changes as rows for COPY, in the thread that parsed them, so that the main thread neither
 * cuts terms nor writes cells.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { finish } from '../../../ontology/steps.ts'
import { recordBytes } from '../../batch.ts'
import type { Change, ChangeEncoder, EncodedChanges } from '../../object-store.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import { type LongTextNumbers, longTextNumbers } from '../text/long-texts.ts'
import { type TermPart, Vocabulary } from '../text/save-terms.ts'
import { addRowStart, rowColumns, rowWriter, UNKNOWN_VERSION } from './row-bytes.ts'

/** Some changes of a batch, or some of its terms. */
export type EncodedContent = EncodedPuts | { readonly terms: TermPart }

export interface EncodedPuts {
  readonly keys: readonly string[]
  /** The rows of all objects, one after the other, in the order of the keys. */
  readonly rows: Uint8Array<ArrayBuffer>
  /** Where the row of each key ends. The row of an object to delete is empty. */
  readonly ends: Uint32Array
  /** The bytes of the largest record. */
  readonly maxRecordBytes: number
  readonly longTexts: LongTextNumbers
}

const INITIAL_CAPACITY = 512 * 1024

/** A thread calls it for each batch; see `ChangeEncoding`. The fields are those of the type. */
export function createEncoder(_objectType: ObjectType, storedFields: unknown): ChangeEncoder {
  const fields = storedFields as readonly FieldColumns[]
  const vocabulary = new Vocabulary()
  const buffer = new CopyBuffer(INITIAL_CAPACITY)
  const writeRow = rowWriter(fields, vocabulary, buffer)
  const columns = rowColumns(fields).length

  const encode = (changes: readonly Change[]): EncodedChanges => {
    const ends = new Uint32Array(changes.length)
    const objects = changes.flatMap((change) => ('put' in change ? [change.put] : []))
    const keys = changes.map((change, index) => {
      if ('put' in change) {
        addRowStart(buffer, columns, UNKNOWN_VERSION)
        finish(writeRow(change.put))
      }
      ends[index] = buffer.length
      return 'put' in change ? change.put.pk : change.delete
    })
    const rows = buffer.take()
    const content: EncodedPuts = {
      keys,
      rows,
      ends,
      maxRecordBytes: objects.reduce((most, object) => Math.max(most, recordBytes(object)), 0),
      longTexts: longTextNumbers(fields, objects),
    }
    return { count: changes.length, content, transfer: [rows.buffer, ends.buffer] }
  }

  return {
    encode,
    finish: () =>
      Array.from(vocabulary.parts(), (terms) => ({
        count: 0,
        content: { terms },
        transfer: [terms.terms.buffer],
      })),
  }
}
