/** Writes rows with COPY in its binary format, the fastest way to load data into PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { finish, finishInTurns } from '../../../ontology/values/steps.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { objectTable } from '../catalogue/object-table.ts'
import type { TableLayout } from '../catalogue/table-layout.ts'
import {
  CHUNK_BYTES,
  COPY_HEADER,
  COPY_TRAILER,
  CopyBuffer,
  chunksOfBytes,
} from '../driver/copy-buffer.ts'
import type { WriteSession } from '../driver/database.ts'
import { saveTerms, type TermPart } from '../text/save-terms.ts'
import { Vocabulary } from '../text/vocabulary.ts'
import { addRowStart, isLongObject, rowColumns, rowWriter } from './row-bytes.ts'

/** Bytes of rows that are encoded in one turn, which takes at most a millisecond. */
const TURN_BYTES = 16 * 1024

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
  await copyIn(session, target, objects.length, (columns) =>
    chunksOf(objects, target, vocabulary, columns),
  )
  if (target.vocabulary === undefined) await vocabulary.save(session)
}

/** Rows that a thread has encoded, and the terms of their objects. */
export interface EncodedRows {
  /** In the format of `rowWriter`. */
  readonly rows: readonly Uint8Array[]
  readonly terms: readonly TermPart[]
}

/** Does the same with rows of the layout of the table that are complete except for their start. */
export async function copyEncodedRows(
  session: WriteSession,
  { rows, terms }: EncodedRows,
  target: RowTarget & { readonly version: number },
): Promise<void> {
  if (rows.length === 0) return
  await copyIn(session, target, rows.length, (columns) => {
    const start = new CopyBuffer()
    addRowStart(start, columns, target.version)
    return chunksOfRows(rows, start.bytes())
  })
  const count = terms.reduce((sum, part) => sum + part.count, 0)
  await saveTerms(session, count, () => terms)
}

async function copyIn(
  session: WriteSession,
  { table, fields }: RowTarget,
  expected: number,
  chunksOf: (columns: number) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const columns = rowColumns({ fields, layout: table.layout })
  const sql = `COPY ${objectTable(table.id)} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`
  const count = await session.copyIn(sql, chunksOf(columns.length))
  if (count !== expected) throw new Error(`wrote ${count} of ${expected} rows`)
}

/** Yields rows in chunks. The session gives each chunk its own turn of the event loop. */
async function* chunksOf(
  objects: readonly StoredObject[],
  { table: { layout }, version, fields }: Parameters<typeof copyRows>[2],
  vocabulary: Vocabulary,
  columns: number,
): AsyncGenerator<Uint8Array> {
  const buffer = new CopyBuffer(2 * TURN_BYTES)
  const writeRow = rowWriter({ fields, layout }, vocabulary, buffer)
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
  rows: readonly Uint8Array[],
  start: Uint8Array,
): AsyncGenerator<Uint8Array> {
  let chunk: Uint8Array[] = [COPY_HEADER]
  let length = COPY_HEADER.length
  for (const row of rows) {
    let rest = row
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
  chunk.push(COPY_TRAILER)
  yield Buffer.concat(chunk)
}
