import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Revision } from '../../../src/contract/revisions.ts'
import { OPEN } from '../../../src/store/sql/new-table.ts'
import { VISIBLE, visibilityValues } from '../../../src/store/sqlite/pages/page-sql.ts'
import type { CrossingPut } from '../../../src/store/sqlite/threads/crossing-change.ts'
import type { Layout, PageReader } from './layout.ts'
import {
  inSegments,
  openSegment,
  type PackedSegment,
  packSegment,
  recordOf,
  slice,
  sliceAsRevision2,
  unpack,
} from './segment.ts'

/**
 * Packed segments beside the rows. A segment has versions as rows have them: a change of one
 * object closes its segment and writes a new one with all its objects.
 */
export const SEGMENTS: Layout = {
  name: 'segments',
  rowsKeepBody: true,
  revisions: ['1.0', '2.0'],
  create(db) {
    db.exec(`
      CREATE TABLE segment (
        id INTEGER PRIMARY KEY,
        first_pk TEXT NOT NULL,
        last_pk TEXT NOT NULL,
        valid_from INTEGER NOT NULL,
        valid_to INTEGER NOT NULL DEFAULT ${OPEN},
        count INTEGER NOT NULL
      ) STRICT;
      -- Apart, so that closing a segment does not write its records once more.
      CREATE TABLE segment_pack (
        id INTEGER PRIMARY KEY,
        records BLOB NOT NULL,
        heads BLOB NOT NULL,
        keys TEXT NOT NULL,
        marks BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX segment_current ON segment (last_pk) WHERE valid_to = ${OPEN};
      CREATE INDEX segment_version ON segment (last_pk, valid_from, valid_to)`)
  },
  write(db, puts, version) {
    const find = db.prepare(
      `SELECT id, last_pk AS lastKey, records, heads, keys, marks
       FROM segment CROSS JOIN segment_pack USING (id)
       WHERE valid_to = ${OPEN} AND last_pk >= ? ORDER BY last_pk LIMIT 1`,
    )
    const close = db.prepare('UPDATE segment SET valid_to = ? WHERE id = ?')
    const add = db.prepare(
      'INSERT INTO segment (first_pk, last_pk, valid_from, count) VALUES (?, ?, ?, ?)',
    )
    const addPack = db.prepare(
      'INSERT INTO segment_pack (id, records, heads, keys, marks) VALUES (?, ?, ?, ?, ?)',
    )
    for (let from = 0; from < puts.length; ) {
      const found = find.get(puts[from]?.[0] ?? '') as unknown as FoundSegment | undefined
      const to = endOfShare(puts, from, found?.lastKey)
      if (found !== undefined) close.run(version, found.id)
      for (const records of inSegments(merged(found, puts.slice(from, to)))) {
        const [first, last] = [records[0]?.pk ?? '', records.at(-1)?.pk ?? '']
        const { lastInsertRowid } = add.run(first, last, version, records.length)
        const { records: bytes, heads, keys, marks } = packSegment(records)
        addPack.run(lastInsertRowid, bytes, heads, keys, marks)
      }
      from = to
    }
  },
  reader: segmentReader,
}

type FoundSegment = PackedSegment & { readonly id: number; readonly lastKey: string }

/** Up to where puts belong to the segment with this last key; without one, all do. */
function endOfShare(
  puts: readonly CrossingPut[],
  from: number,
  lastKey: string | undefined,
): number {
  if (lastKey === undefined) return puts.length
  let to = from
  while (to < puts.length && (puts[to]?.[0] ?? '') <= lastKey) to += 1
  return to
}

function merged(found: FoundSegment | undefined, puts: readonly CrossingPut[]) {
  const before = found === undefined ? [] : unpack(openSegment(found))
  if (before.length === 0) return puts.map(recordOf)
  const byKey = new Map(before.map((record) => [record.pk, record]))
  for (const put of puts) byKey.set(put[0], recordOf(put))
  return [...byKey.values()].sort((a, b) => (a.pk < b.pk ? -1 : 1))
}

const COMMA = Buffer.from(',')

function segmentReader(db: DatabaseSync): PageReader {
  const walk = {
    current: walkStatement(db, VISIBLE.current),
    version: walkStatement(db, VISIBLE.version),
  }
  const open = db.prepare('SELECT heads, keys, marks FROM segment_pack WHERE id = ?')
  return ({ revision, version, after, objects }) => {
    const pieces: Uint8Array[] = []
    const visibility = version === undefined ? 'current' : 'version'
    const visible = visibilityValues(visibility, version ?? 0)
    let wanted = objects
    for (const row of walk[visibility].iterate(...visible, after)) {
      const [id, firstKey, count, records] = row as unknown as SegmentRow
      if (pieces.length > 0) pieces.push(COMMA)
      if (revision === '1.0' && firstKey > after && count <= wanted) {
        pieces.push(records)
        wanted -= count
      } else {
        const part = readPart(open, { id, records, revision, after, wanted })
        pieces.push(part.bytes)
        wanted -= part.count
      }
      if (wanted === 0) break
    }
    return pieces
  }
}

type SegmentRow = readonly [id: number, firstKey: string, count: number, records: Uint8Array]

function walkStatement(db: DatabaseSync, visible: string): StatementSync {
  const statement = db.prepare(
    `SELECT id, first_pk, count, records FROM segment CROSS JOIN segment_pack USING (id)
     WHERE ${visible} AND last_pk > ? ORDER BY last_pk`,
  )
  statement.setReturnArrays(true)
  return statement
}

interface PartWish {
  readonly id: number
  readonly records: Uint8Array
  readonly revision: Revision
  readonly after: string
  readonly wanted: number
}

/** Some records of a segment, or all of them in another form. */
function readPart(open: StatementSync, { id, records, revision, after, wanted }: PartWish) {
  const rest = open.get(id) as unknown as Omit<PackedSegment, 'records'>
  const segment = openSegment({ records, ...rest })
  const from = segment.keys.findIndex((pk) => pk > after)
  const to = Math.min(segment.keys.length, from + wanted)
  const bytes = revision === '1.0' ? slice(segment, from, to) : sliceAsRevision2(segment, from, to)
  return { bytes, count: to - from }
}
