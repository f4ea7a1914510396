/** Writes rows with COPY in its binary format, the fastest way to load data into PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import { finish, finishInTurns } from '../../../ontology/steps.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import {
  CHUNK_BYTES,
  COPY_HEADER,
  COPY_TRAILER,
  CopyBuffer,
  chunksOfBytes,
} from '../driver/copy-buffer.ts'
import type { WriteSession } from '../driver/database.ts'
import { saveTerms, type TermPart, Vocabulary } from '../text/save-terms.ts'
import {
  addRowStart,
  type EncodedRow,
  isLongObject,
  rowColumns,
  rowWriter,
  versionSetter,
} from './row-bytes.ts'

/** Bytes of rows that are encoded in one turn, which takes at most a millisecond. */
const TURN_BYTES = 16 * 1024

export interface RowTarget {
  readonly table: { readonly id: number }
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
  await copyIn(session, target, objects.length, (columns) =>
    chunksOf(objects, target, vocabulary, columns),
  )
  if (target.vocabulary === undefined) await vocabulary.save(session)
}

/** Rows that a thread has encoded, and the terms of their objects. */
interface EncodedRows {
  readonly rows: readonly EncodedRow[]
  readonly terms: readonly TermPart[]
}

/** Does the same with rows that a thread has encoded for the table. Only their version is missing. */
export async function copyEncodedRows(
  session: WriteSession,
  { rows, terms }: EncodedRows,
  target: RowTarget & { readonly version: number },
): Promise<void> {
  if (rows.length === 0) return
  await copyIn(session, target, rows.length, () => chunksOfRows(rows, target.version))
  const count = terms.reduce((sum, part) => sum + part.count, 0)
  await saveTerms(session, count, () => terms)
}

async function copyIn(
  session: WriteSession,
  { table, fields }: RowTarget,
  expected: number,
  chunksOf: (columns: number) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const columns = rowColumns(fields)
  const sql = `COPY ${objectTable(table.id)} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`
  const count = await session.copyIn(sql, chunksOf(columns.length))
  if (count !== expected) throw new Error(`wrote ${count} of ${expected} rows`)
}

/** Yields rows in chunks. The session gives each chunk its own turn of the event loop. */
async function* chunksOf(
  objects: readonly StoredObject[],
  { version, fields }: Parameters<typeof copyRows>[2],
  vocabulary: Vocabulary,
  columns: number,
): AsyncGenerator<Uint8Array> {
  const buffer = new CopyBuffer(2 * TURN_BYTES)
  const writeRow = rowWriter(fields, vocabulary, buffer)
  buffer.addBytes(COPY_HEADER)
  for (const object of objects) {
    addRowStart(buffer, columns, typeof version === 'number' ? version : version(object))
    const steps = writeRow(object)
    if (isLongObject(object)) {
      await finishInTurns(steps, nextTurn)
      await nextTurn()
    } else finish(steps)
    if (buffer.length >= TURN_BYTES) yield* chunksOfBytes(buffer.take())
  }
  buffer.addBytes(COPY_TRAILER)
  yield buffer.bytes()
}

/** Short rows are joined, and long ones are cut. */
async function* chunksOfRows(
  rows: readonly EncodedRow[],
  version: number,
): AsyncGenerator<Uint8Array> {
  let chunk: Uint8Array[] = [COPY_HEADER]
  let length = COPY_HEADER.length
  for (const run of runsOf(rows, version)) {
    if (length + run.length > CHUNK_BYTES) {
      yield* chunksOfBytes(joined(chunk))
      chunk = []
      length = 0
    }
    chunk.push(run)
    length += run.length
  }
  chunk.push(COPY_TRAILER)
  yield* chunksOfBytes(joined(chunk))
}

/**
 * Sets the version of rows, and yields them. Neighbours are yielded together, up to a chunk, and are
 * not copied: a copy is memory outside the heap, and V8 collects all garbage for each 30 MB of it.
 */
function* runsOf(rows: readonly EncodedRow[], version: number): Generator<Uint8Array> {
  const setVersion = versionSetter(version)
  let run: EncodedRow | undefined
  for (const row of rows) {
    setVersion(row)
    const isNext = run?.rows === row.rows && run.end === row.start
    if (run !== undefined && isNext && row.end - run.start <= CHUNK_BYTES) {
      run = { rows: run.rows, start: run.start, end: row.end }
      continue
    }
    if (run !== undefined) yield bytesOf(run)
    run = row
  }
  if (run !== undefined) yield bytesOf(run)
}

function bytesOf({ rows, start, end }: EncodedRow): Uint8Array {
  return rows.subarray(start, end)
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = pieces
  return only !== undefined && others.length === 0 ? only : Buffer.concat(pieces)
}
