/** Writes rows with COPY in its binary format, the fastest way to load data into PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import { finish, finishInTurns } from '../../../ontology/pausable-work.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import { allowLongTexts, type WrittenTable } from '../catalogue/long-text-indexes.ts'
import { objectTablesOf } from '../catalogue/object-table.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import {
  CHUNK_BYTES,
  COPY_HEADER,
  COPY_TRAILER,
  CopyBuffer,
  chunksOfBytes,
} from '../driver/copy-buffer.ts'
import type { WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { Vocabulary } from '../text/save-terms.ts'
import {
  type EncodedRow,
  isLongObject,
  noFacts,
  type RowFacts,
  rowColumns,
  rowEncoder,
  type VersionsOfRows,
  versionSetter,
} from './row-encoder.ts'

/** Bytes of rows that are encoded in one turn, which takes at most a millisecond. */
const TURN_BYTES = 16 * 1024

/** Rows without their version, and what their objects add to the vocabulary. */
export interface EncodedRows {
  readonly rows: readonly EncodedRow[]
  readonly facts: RowFacts
  readonly saveTerms: (session: WriteSession) => Promise<void>
}

/**
 * Encodes objects as rows. Their terms are saved with the rows, unless the caller passes a vocabulary
 * and saves them together with those of other rows.
 */
export async function encodeObjects(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
  shared?: Vocabulary,
): Promise<EncodedRows> {
  const vocabulary = shared ?? new Vocabulary()
  const facts = noFacts()
  const buffer = new CopyBuffer(CHUNK_BYTES)
  const encodeRow = rowEncoder(fields, vocabulary, buffer, facts)
  const rows: EncodedRow[] = []
  const keys: string[] = []
  const ends: number[] = []
  const endPart = () => {
    const part = buffer.take()
    for (const [at, key] of keys.entries()) {
      rows.push({ key, rows: part, start: ends[at - 1] ?? 0, end: ends[at] ?? 0 })
    }
    keys.length = 0
    ends.length = 0
  }
  let turnEnd = TURN_BYTES
  for (const object of objects) {
    const steps = encodeRow(object)
    if (isLongObject(object)) await finishInTurns(steps, nextTurn)
    else finish(steps)
    keys.push(object.pk)
    ends.push(buffer.length)
    if (buffer.length < turnEnd) continue
    await nextTurn()
    if (buffer.length >= CHUNK_BYTES - TURN_BYTES) endPart()
    turnEnd = buffer.length + TURN_BYTES
  }
  endPart()
  const saveTerms = async (session: WriteSession) => {
    if (shared === undefined) await vocabulary.save(session)
  }
  return { rows, facts, saveTerms }
}

/** The table that rows are added to. */
export interface RowTarget extends WrittenTable {
  readonly fields: readonly FieldColumns[]
  readonly version: VersionsOfRows
}

/**
 * Adds rows to a table whose indexes can then hold them, and their terms to the vocabulary. Closes
 * the rows that they replace, in the same round trip if possible, and returns the result.
 */
export async function addRows<Closed = undefined>(
  session: WriteSession,
  capabilities: Capabilities,
  target: RowTarget,
  { rows, facts, saveTerms }: EncodedRows,
  close: () => Promise<Closed>,
): Promise<Closed> {
  if (rows.length === 0) return close()
  const { id, fields, version } = target
  await runIn(session, (core) =>
    allowLongTexts({ session: core, tables: objectTablesOf(capabilities) }, target, {
      long: fields.filter(({ number }) => facts.long.has(number)),
      tooLong: fields.filter(({ number }) => facts.tooLong.has(number)),
    }),
  )
  const columns = rowColumns(fields)
  const table = `${objectTable(id)} (${columns.join(', ')})`
  const [row, ...others] = rows
  const isShort = row !== undefined && others.length === 0 && row.end - row.start < CHUNK_BYTES
  const copy = () =>
    session.copyIn(`COPY ${table} FROM STDIN (FORMAT binary)`, chunksOfRows(rows, version))
  const [closed, count] =
    isShort && !capabilities.isDistributed
      ? await session.together(() => [close(), insertRow(session, table, row, version)])
      : [await close(), await copy()]
  if (count !== rows.length) throw new Error(`wrote ${count} of ${rows.length} rows`)
  await saveTerms(session)
  return closed
}

/** For rows that replace none. */
export async function closeNothing(): Promise<undefined> {}

/** Inserts one row, which takes fewer round trips than to copy it. */
function insertRow(
  session: WriteSession,
  table: string,
  row: EncodedRow,
  version: VersionsOfRows,
): Promise<number> {
  versionSetter(version)(row, 0)
  const cells = cellsOf(bytesOf(row))
  const values = cells.map(() => '?').join(', ')
  return session.run(`INSERT INTO ${table} VALUES (${values})`, cells, { isPrepared: true })
}

/** Returns the values of a row: the driver sends bytes in binary form, as COPY does. */
function cellsOf(row: Uint8Array): (Buffer | null)[] {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length)
  const cells: (Buffer | null)[] = []
  // The number of the values comes first.
  for (let at = 2; at < bytes.length; ) {
    const start = at + 4
    const length = bytes.readInt32BE(at)
    // NULL has the length -1.
    at = start + Math.max(0, length)
    cells.push(length < 0 ? null : bytes.subarray(start, at))
  }
  return cells
}

/** Short rows are joined, and long ones are cut. */
function* chunksOfRows(
  rows: readonly EncodedRow[],
  version: VersionsOfRows,
): Generator<Uint8Array> {
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
 * Sets the versions of rows, and yields them. Neighbours are yielded together, up to a chunk, and are
 * not copied: a copy is memory outside the heap, and V8 collects all garbage for each 30 MB of it.
 */
function* runsOf(rows: readonly EncodedRow[], version: VersionsOfRows): Generator<Uint8Array> {
  const setVersion = versionSetter(version)
  let run: EncodedRow | undefined
  for (const [index, row] of rows.entries()) {
    setVersion(row, index)
    const isNext = run?.rows === row.rows && run.end === row.start
    if (run !== undefined && isNext && row.end - run.start <= CHUNK_BYTES) {
      run = { ...row, start: run.start }
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
