/**
 * Columns of a running service: the process that holds them, started by the process that maintains
 * the store when a type is large enough, and the connection to it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { siblingModule } from '../contract/sibling-module.ts'
import { ColumnsClient } from '../store/columns/columns-client.ts'
import { ColumnsProcess } from '../store/columns/columns-process.ts'
import type { ColumnLoading, ObjectStore } from '../store/object-store.ts'
import { sqlitePath } from '../store/store-name.ts'
import { startBackgroundTask } from './background-task.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { withoutPassword } from './store-name.ts'

export interface ColumnsOptions {
  /** Whether types of any size have columns, and requests wait until they are built, for tests. */
  readonly areForced?: boolean
}

/** The database answers any question about fewer objects in a few milliseconds. */
const MIN_OBJECTS = 5000
/** How often the sizes of types are looked at. */
const WATCH_MS = 5000
const THREADS_MAX = 4
/** How long columns that nobody asks for may lag behind. With more, steady writes would outrun them. */
const MAX_LAG_MS = 15_000

/** The columns of a service; disposing ends their process. */
export interface StartedColumns extends AsyncDisposable {
  readonly client: ColumnsClient
}

/** Connects a worker to the columns process; undefined if there is none. */
export function connectToSupervisor(config: Config): ColumnsClient | undefined {
  const maxBytes = columnsMemory(config)
  const folder = supervisorFolder(process.ppid)
  if (maxBytes === 0 || !isOwn(folder)) return undefined
  return new ColumnsClient(addressIn(folder), { maxBytes })
}

/** The longest path of a socket: 104 bytes on macOS, with a final zero; 108 on Linux. */
const MAX_SOCKET_PATH = 103
const LONGEST_NAME = 'oqs-columns-0123456789/socket'

/** Returns a prefix of paths that are short enough for a socket. */
function socketPrefix(): string {
  const isTooLong = Buffer.byteLength(join(tmpdir(), LONGEST_NAME)) > MAX_SOCKET_PATH
  return join(isTooLong && process.platform !== 'win32' ? '/tmp' : tmpdir(), 'oqs-columns-')
}

/** The folder of the socket, which workers find by the number of their supervisor. */
function supervisorFolder(supervisor: number): string {
  return socketPrefix() + supervisor
}

/** True if no other user can have put a socket into the folder. */
function isOwn(folder: string): boolean {
  if (process.platform === 'win32') return true
  const found = statSync(folder, { throwIfNoEntry: false })
  return found?.uid === process.getuid?.() && ((found?.mode ?? 0) & 0o077) === 0
}

/** Creates a folder for the socket that no other user can open. */
function socketFolder(hasWorkers: boolean): string {
  if (!hasWorkers) return mkdtempSync(socketPrefix())
  const folder = supervisorFolder(process.pid)
  // Left over from a process that had this number.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

function addressIn(folder: string): string {
  const isWindows = process.platform === 'win32'
  return isWindows ? `//./pipe/${basename(folder)}` : join(folder, 'socket')
}

/** Starts what keeps the columns; undefined if they are turned off, or if no process can listen. */
export function startColumns(
  config: Config,
  store: ObjectStore,
  log: Log,
  { areForced = false }: ColumnsOptions = {},
): StartedColumns | undefined {
  const maxBytes = columnsMemory(config)
  if (maxBytes === 0) return undefined
  let folder: string
  try {
    folder = socketFolder(config.OQS_WORKERS !== 1)
  } catch (error) {
    log({ event: 'columnsFailed', reason: `no folder for the socket: ${error}` })
    return undefined
  }
  const address = addressIn(folder)
  const minObjects = areForced ? 0 : MIN_OBJECTS
  const options = {
    address,
    storeName: config.OQS_STORE,
    folder: filesFolder(config.OQS_STORE),
    maxBytes,
    minObjects,
    awaitsBuilds: areForced,
    maxLagMs: Math.min(MAX_LAG_MS, 250 * config.OQS_SNAPSHOT_MAX_AGE_SECONDS),
    threads: Math.max(2, Math.min(availableParallelism(), THREADS_MAX)),
  }
  const start = () =>
    new ColumnsProcess(options, (reason) => log({ event: 'columnsFailed', reason }))
  let columns = areForced ? start() : undefined
  const client = new ColumnsClient(address, {
    maxBytes,
    awaitsAnswers: areForced,
    start: () => {
      columns ??= start()
    },
  })
  // With files of an earlier start, it will be needed at once.
  if (hasFiles(options.folder)) client.start()
  const watch = async () => {
    const { types } = await store.readStatus()
    const large = types.filter(({ count }) => count >= minObjects).map(({ typeRid }) => typeRid)
    if (large.length === 0) return
    client.start()
    await client.prepare(large)
  }
  const watching = startBackgroundTask(async (signal) => {
    while (!signal.aborted) {
      // If the database cannot be reached, it is looked at again.
      await watch().catch(() => {})
      await sleep(WATCH_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  })
  return {
    client,
    async [Symbol.asyncDispose]() {
      await watching[Symbol.asyncDispose]()
      client[Symbol.dispose]()
      await columns?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}

/** Returns how threads build columns during loads; undefined if they are turned off. */
export function columnLoading(config: Config): ColumnLoading | undefined {
  if (columnsMemory(config) === 0) return undefined
  const module = siblingModule('../store/columns/load/load-columns', import.meta.url)
  return { module: module.href, folder: filesFolder(config.OQS_STORE) }
}

const AUTO_SHARE = 1 / 4
const AUTO_MAX_BYTES = 4 * 1024 ** 3

function columnsMemory({ OQS_COLUMNS_MEMORY: setting }: Config): number {
  return setting === 'auto'
    ? Math.min(Math.floor(totalmem() * AUTO_SHARE), AUTO_MAX_BYTES)
    : setting
}

/** Beside a SQLite file; for another database, in the folder in which files of the service are kept. */
function filesFolder(storeName: string): string {
  const path = sqlitePath(storeName)
  if (path !== undefined) return `${path}.columns`
  const name = createHash('sha256').update(withoutPassword(storeName)).digest('hex').slice(0, 16)
  return resolve('data', 'columns', name)
}
