/**
 * Encodes changes as rows for COPY, in the thread that parsed them, so that the main thread neither
 * cuts terms nor writes cells.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { finish } from '../../../ontology/pausable-work.ts'
import type { Change, ChangeEncoder, EncodedChanges } from '../../object-store.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import { type TermPart, Vocabulary } from '../text/save-terms.ts'
import { noFacts, type RowFacts, rowEncoder } from './row-encoder.ts'

/** Some changes of a batch, or some of its terms. */
export type EncodedContent = EncodedPuts | { readonly terms: TermPart }

export interface EncodedPuts {
  readonly keys: readonly string[]
  /** The rows of all objects, one after the other, in the order of the keys. */
  readonly rows: Uint8Array<ArrayBuffer>
  /** Where the row of each key ends. The row of an object to delete is empty. */
  readonly ends: Uint32Array
  /** What is known of all objects of the batch so far. */
  readonly facts: RowFacts
}

const INITIAL_CAPACITY = 512 * 1024

/** A thread calls it for each batch; see `ChangeEncoding`. */
export function createEncoder(_objectType: ObjectType, fields: unknown): ChangeEncoder {
  const vocabulary = new Vocabulary()
  const buffer = new CopyBuffer(INITIAL_CAPACITY)
  const facts = noFacts()
  const encodeRow = rowEncoder(fields as readonly FieldColumns[], vocabulary, buffer, facts)

  const encode = (changes: Iterable<Change>): EncodedChanges => {
    const keys: string[] = []
    const rowEnds: number[] = []
    for (const change of changes) {
      if ('put' in change) finish(encodeRow(change.put))
      rowEnds.push(buffer.length)
      keys.push('put' in change ? change.put.pk : change.delete)
    }
    const [rows, ends] = [buffer.take(), Uint32Array.from(rowEnds)]
    const content: EncodedPuts = { keys, rows, ends, facts }
    return { count: keys.length, content, transfer: [rows.buffer, ends.buffer] }
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
