/** Copies the database of a store, which may be in use, into a file of its own. */

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { siblingModule } from '../../../contract/sibling-module.ts'
import { schemaVersion } from '../catalogue/migrate.ts'
import { openChecked } from './open-checked.ts'
import { StoreDamage } from './store-failure.ts'

export interface BackupOptions {
  /** Whether an existing target is replaced. */
  readonly replace?: boolean
  readonly signal?: AbortSignal
  /** Called again and again while pages are copied, and once more while the copy is checked. */
  readonly onProgress?: (progress: BackupProgress) => void
}

export interface BackupProgress {
  readonly phase: 'copying' | 'checking'
  readonly bytes: number
  readonly totalBytes: number
}

/**
 * Pages of one step: 4 MB. Between steps, progress is shown and an interruption noticed; larger
 * steps are not faster.
 */
const STEP_PAGES = 1000

/** Returns the bytes of the backup, which stands under its name only when it is complete and sound. */
export async function backupDatabase(
  path: string,
  target: string,
  options: BackupOptions = {},
): Promise<number> {
  const file = await findTarget(path, target, options)
  const part = join(dirname(file), `${basename(file)}.${randomUUID()}.part`)
  try {
    // Created here, because SQLite would let others read it.
    closeSync(openSync(part, 'wx', 0o600))
    const bytes = await copyDatabase(path, part, options)
    options.onProgress?.({ phase: 'checking', bytes, totalBytes: bytes })
    await checkCopy(part, options)
    await syncFile(part, 'r+')
    // The target may have appeared meanwhile.
    await findTarget(path, target, options)
    await rename(part, file)
    // The name is on disk with its folder; Windows has no such thing.
    if (process.platform !== 'win32') await syncFile(dirname(file), 'r')
    return bytes
  } catch (error) {
    for (const suffix of ['', ...SIDE_FILES]) await rm(part + suffix, { force: true })
    throw new Error(`no backup in ${target}: ${messageOf(error)}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  // What is told to clients says less than its cause.
  if (error instanceof StoreDamage) return `the store is damaged: ${messageOf(error.cause)}`
  return (error as Error).message
}

/** Files that SQLite may keep beside a database. */
const SIDE_FILES = ['-journal', '-wal', '-shm']

/** Resolves the target, and refuses one that may not be replaced. */
async function findTarget(
  path: string,
  target: string,
  { replace = false }: BackupOptions,
): Promise<string> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) {
    refuseSideFiles(target)
    return target
  }
  if (!found.isFile()) throw new Error(`${target} is not a file`)
  if (await isPartOfStore(found, path)) throw new Error(`${target} is the store itself`)
  if (!replace) throw new Error(`${target} exists; --force replaces it`)
  // A link stays, and leads to the new file.
  const file = await realpath(target)
  refuseSideFiles(file)
  return file
}

/**
 * Refuses a target with files of SQLite beside it. Either a program has the target open, and would
 * go on with a file that is gone; or it was not closed, and SQLite would apply its WAL to the copy.
 */
function refuseSideFiles(file: string): void {
  const beside = SIDE_FILES.map((suffix) => file + suffix).find((path) => existsSync(path))
  if (beside === undefined) return
  throw new Error(
    `${beside} exists: a program has ${file} open, or did not close it. Stop the program, or choose another name`,
  )
}

async function isPartOfStore(
  { dev, ino }: { readonly dev: number; readonly ino: number },
  path: string,
): Promise<boolean> {
  const files = ['', ...SIDE_FILES].map((suffix) => stat(path + suffix).catch(() => undefined))
  return (await Promise.all(files)).some((file) => file?.dev === dev && file.ino === ino)
}

/**
 * Copies page by page inside one read transaction. Without it, SQLite begins again whenever another
 * process has written between two steps: under constant writes a copy of 300 MB never ended, and
 * takes 0.6 s with it. The transaction keeps no writer waiting; it only keeps the WAL from being
 * reused, so that the WAL grows by what is written meanwhile. VACUUM INTO has the same effect on
 * writers, but builds every table and index again and shows no progress.
 */
async function copyDatabase(
  path: string,
  part: string,
  { signal, onProgress }: BackupOptions,
): Promise<number> {
  using db = openSource(path)
  // Without the memory map, a file that is too short is an error of SQLite, not the end of the process.
  db.exec('PRAGMA query_only = ON; PRAGMA mmap_size = 0; BEGIN')
  const pageBytes = readNumber(db, 'page_size')
  const totalBytes = readNumber(db, 'page_count') * pageBytes
  await backup(db, part, {
    rate: STEP_PAGES,
    progress: ({ totalPages, remainingPages }) => {
      // Throwing is the only way to end the copy early.
      signal?.throwIfAborted()
      const bytes = (totalPages - remainingPages) * pageBytes
      onProgress?.({ phase: 'copying', bytes, totalBytes })
    },
  })
  signal?.throwIfAborted()
  return totalBytes
}

function openSource(path: string): DatabaseSync {
  const db = openChecked(path)
  if (schemaVersion(db) > 0) return db
  db.close()
  throw new Error(`${path} is not a store`)
}

function readNumber(db: DatabaseSync, pragma: 'page_size' | 'page_count'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}

/**
 * Checks the copy in a process of its own: the check of a large store takes minutes, in which SQLite
 * cannot be interrupted, and a process can be.
 */
async function checkCopy(part: string, { signal }: BackupOptions): Promise<void> {
  const program = fileURLToPath(siblingModule('check-copy', import.meta.url))
  const args = ['--no-warnings', program, part]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    ...(signal && { signal }),
  })
  const problem = stdout.trim()
  if (problem === 'ok') return
  throw new Error(`the store is damaged: ${problem}`)
}

async function syncFile(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
