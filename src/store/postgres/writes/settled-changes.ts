import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { deduplicateInTurns, recordBytes } from '../../batch.ts'
import { type Batch, type Change, type ChangePart, isEncoded } from '../../object-store.ts'
import { inTurns } from '../../sql/in-turns.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import type { LongTexts } from '../catalogue/long-text-indexes.ts'
import type { WriteSession } from '../driver/database.ts'
import { findLongTexts } from '../text/long-texts.ts'
import type { TermPart } from '../text/save-terms.ts'
import type { EncodedContent } from './change-encoder.ts'
import { copyEncodedRows, copyRows, type RowTarget } from './copy-rows.ts'
import type { EncodedRow } from './row-bytes.ts'

/** A change that a thread encoded. The row of an object to delete is empty. */
interface EncodedChange extends EncodedRow {
  readonly key: string
}

export type SettledChange = Change | EncodedChange

/** Changes with one entry per object, in key order. Puts are some of the changes. */
export interface SettledChanges {
  readonly changes: readonly SettledChange[]
  /** The same changes if they are objects. */
  readonly objects: readonly Change[] | undefined
  /** Returns the fields that get a long text. */
  readonly longTexts: (
    fields: readonly FieldColumns[],
    puts: readonly SettledChange[],
  ) => Promise<LongTexts>
  /** Returns the bytes of the largest record, or a little more. */
  readonly maxRecordBytes: (puts: readonly SettledChange[]) => Promise<number>
  readonly copy: (
    session: WriteSession,
    puts: readonly SettledChange[],
    target: RowTarget & { readonly version: number },
  ) => Promise<void>
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
  const summary = new EncodedSummary()
  const settled = await deduplicateInTurns(summary.decode(parts), keyOf, keepsExisting)
  return summary.isEmpty
    ? objectChanges(settled as readonly Change[])
    : encodedChanges(settled as readonly EncodedChange[], summary)
}

/** The number of objects to measure before yielding to other work. */
const OBJECTS_PER_TURN = 10_000

function objectChanges(changes: readonly Change[]): SettledChanges {
  return {
    changes,
    objects: changes,
    longTexts: (fields, puts) => findLongTexts(fields, objectsOf(puts)),
    async maxRecordBytes(puts) {
      let most = 0
      await inTurns(objectsOf(puts), OBJECTS_PER_TURN, (object) => {
        most = Math.max(most, recordBytes(object))
      })
      return most
    },
    copy: (session, puts, target) => copyRows(session, objectsOf(puts), target),
    free: () => {},
  }
}

function objectsOf(puts: readonly SettledChange[]): readonly StoredObject[] {
  return puts.flatMap((change) => ('put' in change ? [change.put] : []))
}

function encodedChanges(
  changes: readonly EncodedChange[],
  { terms, memory, long, tooLong, maxRecordBytes }: EncodedSummary,
): SettledChanges {
  return {
    changes,
    objects: undefined,
    longTexts: async (fields) => ({
      long: fields.filter(({ number }) => long.has(number)),
      tooLong: fields.filter(({ number }) => tooLong.has(number)),
    }),
    maxRecordBytes: async () => maxRecordBytes,
    copy(session, puts, target) {
      const rows = puts.flatMap((change) => ('key' in change ? [change] : []))
      return copyEncodedRows(session, { rows, terms }, target)
    },
    free() {
      for (const buffer of memory) buffer.transfer(0)
    },
  }
}

/** What a thread found in encoded changes. Changes that are dropped later count as well. */
class EncodedSummary {
  readonly terms: TermPart[] = []
  readonly memory: ArrayBuffer[] = []
  readonly long = new Set<number>()
  readonly tooLong = new Set<number>()
  maxRecordBytes = 0
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
        this.terms.push(content.terms)
        continue
      }
      const { keys, rows, ends, maxRecordBytes, longTexts } = content
      this.maxRecordBytes = Math.max(this.maxRecordBytes, maxRecordBytes)
      for (const number of longTexts.long) this.long.add(number)
      for (const number of longTexts.tooLong) this.tooLong.add(number)
      this.memory.push(rows.buffer)
      yield keys.map((key, at) => ({ key, rows, start: ends[at - 1] ?? 0, end: ends[at] ?? 0 }))
    }
  }
}
