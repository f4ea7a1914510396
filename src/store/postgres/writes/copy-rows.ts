/** Writes rows with COPY in its text format, the fastest way to load data into PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { finish, finishInTurns } from '../../../ontology/values/steps.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { objectTable } from '../catalogue/object-table.ts'
import type { TableLayout } from '../catalogue/table-layout.ts'
import type { WriteSession } from '../driver/database.ts'
import { saveTerms, type TermPart, Vocabulary } from '../text/vocabulary.ts'
import { isLongObject, lineColumns, lineWriter } from './row-lines.ts'

/** Characters per write to the connection. Producing them takes at most a millisecond. */
const CHUNK_LENGTH = 16 * 1024
/** Bytes per write of lines that are complete already. */
const CHUNK_BYTES = 64 * 1024

export interface RowTarget {
  readonly table: Pick<TableLayout, 'layout'> & { readonly id: number }
  readonly fields: readonly FieldColumns[]
}

/** Adds a row for each object, and the terms of the objects to the vocabulary. */
export async function copyRows(
  session: WriteSession,
  objects: readonly StoredObject[],
  target: RowTarget & {
    /** The version of all rows, or of each one. */
    readonly version: number | ((object: StoredObject) => number)
    /** Collects the terms if the caller saves them, together with those of other rows. */
    readonly vocabulary?: Vocabulary
  },
): Promise<void> {
  if (objects.length === 0) return
  const vocabulary = target.vocabulary ?? new Vocabulary()
  await copyIn(session, target, objects.length, chunksOf(objects, target, vocabulary))
  if (target.vocabulary === undefined) await vocabulary.save(session)
}

/** Rows that a thread has written, and the terms of their objects. */
export interface WrittenLines {
  /** In the format of `lineWriter`. */
  readonly lines: readonly Uint8Array[]
  readonly terms: readonly TermPart[]
}

/** Does the same with rows of the layout of the table that are complete except for their version. */
export async function copyLines(
  session: WriteSession,
  { lines, terms }: WrittenLines,
  target: RowTarget & { readonly version: number },
): Promise<void> {
  if (lines.length === 0) return
  await copyIn(session, target, lines.length, chunksOfLines(lines, target.version))
  for (const part of terms) await saveTerms(session, part)
}

async function copyIn(
  session: WriteSession,
  { table, fields }: RowTarget,
  expected: number,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const columns = lineColumns({ fields, layout: table.layout })
  const sql = `COPY ${objectTable(table.id)} (${columns}) FROM STDIN`
  const count = await session.copyIn(sql, chunks)
  if (count !== expected) throw new Error(`wrote ${count} of ${expected} rows`)
}

/** Yields lines in chunks. The session gives each chunk its own turn of the event loop. */
async function* chunksOf(
  objects: readonly StoredObject[],
  { table: { layout }, version, fields }: Parameters<typeof copyRows>[2],
  vocabulary: Vocabulary,
): AsyncGenerator<string> {
  const writeLine = lineWriter({ fields, layout }, vocabulary)
  let chunk = ''
  for (const object of objects) {
    const isLong = isLongObject(object)
    const steps = writeLine(object)
    const line = isLong ? await finishInTurns(steps, nextTurn) : finish(steps)
    chunk += `${typeof version === 'number' ? version : version(object)}\t${line}`
    if (isLong) await nextTurn()
    while (chunk.length >= CHUNK_LENGTH) {
      const end = endOfChunk(chunk)
      yield chunk.slice(0, end)
      chunk = chunk.slice(end)
    }
  }
  yield chunk
}

/** A chunk becomes bytes by itself, so it must not end within a surrogate pair. */
function endOfChunk(text: string): number {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(CHUNK_LENGTH - 1))
  return isHalf ? CHUNK_LENGTH - 1 : CHUNK_LENGTH
}

/** Short lines are joined, and long ones are cut: a chunk may end anywhere in a line. */
async function* chunksOfLines(
  lines: readonly Uint8Array[],
  version: number,
): AsyncGenerator<Uint8Array> {
  const start = Buffer.from(`${version}\t`)
  let chunk: Uint8Array[] = []
  let length = 0
  for (const line of lines) {
    let rest = line
    chunk.push(start)
    length += start.length
    while (length + rest.length >= CHUNK_BYTES) {
      const end = Math.max(0, CHUNK_BYTES - length)
      chunk.push(rest.subarray(0, end))
      yield Buffer.concat(chunk)
      rest = rest.subarray(end)
      chunk = []
      length = 0
    }
    chunk.push(rest)
    length += rest.length
  }
  yield Buffer.concat(chunk, length)
}
