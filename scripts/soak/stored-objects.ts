/** What is stored after a soak: the objects, and the bytes that they take. */
import { DatabaseSync } from 'node:sqlite'
import { Connection, type Target } from '../measure/connection.ts'
import { OBJECT_TYPE, type PartProperties } from '../measure/parts.ts'
import { findToken, listPages } from '../measure/walk.ts'
import type { LiveSet } from './live-set.ts'
import { readStatus, sqliteFile, walBytes } from './samples.ts'

/** Throws unless the service has exactly the objects of the live set. */
export async function checkObjects(service: Target, live: LiveSet): Promise<void> {
  const expected = live.objects()
  const pages = listPages()
  using connection = await Connection.open(service)
  let token: string | undefined
  do {
    const page = await connection.read(pages(1000, token))
    for (const { properties } of JSON.parse(page.toString()).data) {
      const part = expected.next().value
      if (part === undefined || !isSame(part, properties)) {
        throw new Error(
          `The ${OBJECT_TYPE} ${JSON.stringify(properties)} is stored instead of ${JSON.stringify(part)}.`,
        )
      }
    }
    token = findToken(page)
  } while (token !== undefined)
  if (expected.next().done !== true) throw new Error('Objects are missing.')
}

/** Timestamps can be written in several ways. */
function isSame({ changedAt, ...part }: PartProperties, stored: PartProperties): boolean {
  return (
    Date.parse(changedAt) === Date.parse(stored.changedAt) &&
    Object.entries(part).every(([name, value]) => stored[name as keyof typeof part] === value)
  )
}

export interface StoredBytes {
  /** All files of the store. */
  readonly total: number
  /** Without the space that the store can use again; PostgreSQL does not tell it. */
  readonly inUse: number
}

export async function readStoredBytes(service: Target, store: string): Promise<StoredBytes> {
  const total = (await readStatus(service)).store.storedBytes + walBytes(store)
  const file = sqliteFile(store)
  if (file === undefined) return { total, inUse: total }
  using db = new DatabaseSync(file, { readOnly: true })
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
  const pages = pragma('page_count') - pragma('freelist_count')
  return { total, inUse: pages * pragma('page_size') }
}
