/** The changes of a batch or an edit, one for each object, in key order. */
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { deduplicateInTurns } from '../../batch-rules.ts'
import { type Batch, type Change, type ChangePart, isEncoded } from '../../object-store.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { saveTerms, type TermPart } from '../text/save-terms.ts'
import type { EncodedContent } from './change-encoder.ts'
import { type EncodedRows, encodeObjects } from './copy-rows.ts'
import { type EncodedRow, noFacts } from './row-encoder.ts'

export type SettledChange = Change | EncodedRow

export interface SettledChanges {
  readonly changes: readonly SettledChange[]
  /** The same changes if they are objects. */
  readonly objects: readonly Change[] | undefined
  /** Returns the rows of some of the changes. */
  readonly encode: (
    fields: readonly FieldColumns[],
    puts: readonly SettledChange[],
  ) => Promise<EncodedRows>
  /**
   * Frees the memory of rows that are committed. It lies outside the heap, and leaving it to the
   * garbage collector costs more than sending the rows.
   */
  readonly free: () => void
}

export function keyOf(change: SettledChange): string {
  if ('key' in change) return change.key
  return 'put' in change ? change.put.pk : change.delete
}

export function isPut(change: SettledChange): boolean {
  return 'key' in change ? change.end > change.start : 'put' in change
}

/** Reads the changes of a batch, and keeps one for each object. */
export async function settleChanges(
  { changes }: Pick<Batch, 'changes'>,
  keepsExisting: boolean,
): Promise<SettledChanges> {
  const parts = Array.isArray(changes)
    ? [changes as readonly Change[]]
    : (changes as AsyncIterable<ChangePart>)
  const encoded = new EncodedParts()
  const settled = await deduplicateInTurns(encoded.decode(parts), keyOf, keepsExisting)
  if (encoded.isEmpty) {
    const encode: SettledChanges['encode'] = (fields, puts) =>
      encodeObjects(fields, puts.flatMap(objectOf))
    return { changes: settled, objects: settled as readonly Change[], encode, free: () => {} }
  }
  return {
    changes: settled,
    objects: undefined,
    encode: async (_, puts) => encoded.rowsOf(puts as readonly EncodedRow[]),
    free: () => encoded.free(),
  }
}

function objectOf(change: SettledChange): StoredObject[] {
  return 'put' in change ? [change.put] : []
}

/** What a thread has encoded. Its facts are also those of changes that are dropped later. */
class EncodedParts {
  readonly #terms: TermPart[] = []
  readonly #memory: ArrayBuffer[] = []
  #facts = noFacts()
  isEmpty = true

  async *decode(
    parts: Iterable<ChangePart> | AsyncIterable<ChangePart>,
  ): AsyncGenerator<readonly SettledChange[]> {
    for await (const part of parts) {
      if (!isEncoded(part)) {
        yield part
        continue
      }
      const content = part.content as EncodedContent
      this.isEmpty = false
      if ('terms' in content) {
        this.#terms.push(content.terms)
        continue
      }
      const { keys, rows, ends, facts } = content
      this.#facts = facts
      this.#memory.push(rows.buffer)
      yield keys.map((key, at) => ({ key, rows, start: ends[at - 1] ?? 0, end: ends[at] ?? 0 }))
    }
  }

  rowsOf(rows: readonly EncodedRow[]): EncodedRows {
    const terms = this.#terms
    const count = terms.reduce((sum, part) => sum + part.count, 0)
    return {
      rows,
      facts: this.#facts,
      saveTerms: (session) => saveTerms(session, count, () => terms),
    }
  }

  free(): void {
    for (const buffer of this.#memory) buffer.transfer(0)
  }
}
