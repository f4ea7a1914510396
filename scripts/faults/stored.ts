/** What a service uses and stores during a soak: memory, descriptors, bytes and the objects. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Connection, readBody, type Target } from '../measure/connection.ts'
import { OBJECT_TYPE, type PartProperties } from '../measure/parts.ts'
import { countDescriptors, treeMegabytes } from '../measure/process-stats.ts'
import { findToken, listPages } from '../measure/walk.ts'
import type { Service } from '../measure/workbench.ts'
import type { LiveSet } from './live-set.ts'

interface Status {
  readonly process: { readonly heapBytes: number }
  readonly store: { readonly storedBytes: number }
  readonly objectTypes: readonly { readonly version: number; readonly oldestVersion: number }[]
  readonly backgroundWork: {
    readonly rewrites: readonly unknown[]
    readonly tablesToRemove: number
    readonly reclaiming: boolean
  }
}

export async function readStatus(service: Target): Promise<Status> {
  const body = await readBody(service, { method: 'GET', path: '/api/admin/v1/status' })
  return JSON.parse(body.toString())
}

export type Sample = Awaited<ReturnType<typeof takeSample>>

export async function takeSample(service: Service, store: string, minute: number) {
  const { process, store: stored } = await readStatus(service)
  return {
    minute,
    /** Private memory of the service and its child processes. */
    megabytes: treeMegabytes(service.pid),
    heapMegabytes: process.heapBytes / 2 ** 20,
    descriptors: countDescriptors(service.pid),
    storedMegabytes: stored.storedBytes / 2 ** 20,
    walMegabytes: walBytes(store) / 2 ** 20,
  }
}

/** Returns the file of a SQLite store; undefined for other stores. */
function sqliteFile(store: string): string | undefined {
  return store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : undefined
}

/** Returns the size of the WAL; 0 on PostgreSQL, where it belongs to the server. */
function walBytes(store: string): number {
  const file = sqliteFile(store)
  if (file === undefined) return 0
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

interface StoredBytes {
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
        const texts = [properties, part].map((each) => JSON.stringify(each))
        throw new Error(`The ${OBJECT_TYPE} ${texts[0]} is stored instead of ${texts[1]}.`)
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
