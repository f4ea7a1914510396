/** Backs up the database of a store, which may be in use, to another file. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { siblingModule } from '../../../contract/sibling-module.ts'
import { findMissing } from '../catalogue/migrate.ts'
import { openChecked, pageBytesOf, schemaVersion } from '../file/connection.ts'
import { StoreDamage } from '../file/store-failure.ts'

export interface BackupOptions {
  /** Replaces an existing target. */
  readonly replace?: boolean
  readonly signal?: AbortSignal
  /** Called repeatedly while pages are copied, and once before the copy is checked. */
  readonly onProgress?: (progress: BackupProgress) => void
}

interface BackupProgress {
  readonly phase: 'copying' | 'checking'
  readonly bytes: number
  readonly totalBytes: number
}

/** Progress is reported and an abort noticed between steps. Larger steps are not faster. */
const STEP_BYTES = 4_096_000

/** Returns the size of the backup. The target gets its name only once it is complete and checked. */
export async function backupDatabase(
  path: string,
  target: string,
  options: BackupOptions = {},
): Promise<number> {
  const file = await findTarget(path, target, options)
  // Shortened, because the name of a file is limited to 255 bytes.
  const part = join(dirname(file), `${basename(file).slice(0, 40)}.${randomUUID()}.part`)
  try {
    // Created here, because SQLite would create it readable by others.
    closeSync(openSync(part, 'wx', 0o600))
    const bytes = await copyDatabase(path, part, options)
    options.onProgress?.({ phase: 'checking', bytes, totalBytes: bytes })
    await checkCopy(part, options)
    await syncFile(part, 'r+')
    // Checked again, because the target may have been created meanwhile.
    await findTarget(path, target, options)
    await rename(part, file)
    // Makes the new name durable. Windows cannot sync a directory.
    if (process.platform !== 'win32') await syncFile(dirname(file), 'r')
    return bytes
  } catch (error) {
    for (const suffix of ['', ...SIDE_FILES]) await rm(part + suffix, { force: true })
    throw new Error(`no backup in ${target}: ${messageOf(error)}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  // The message for clients says less than its cause.
  if (error instanceof StoreDamage) return `the store is damaged: ${messageOf(error.cause)}`
  return (error as Error).message
}

/** Suffixes of the files that SQLite may create beside a database. */
const SIDE_FILES = ['-journal', '-wal', '-shm']

/** Resolves the path of the target. Throws if it may not be replaced. */
async function findTarget(
  path: string,
  target: string,
  { replace = false }: BackupOptions,
): Promise<string> {
  if (target === '')
    throw new Error('the name of the backup is empty. Name a file, such as backup.db')
  const existing = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    refuseLongName(target, error)
    throw error
  })
  if (existing === undefined) {
    await refuseNameOfStore(path, target)
    refuseSideFiles(target)
    return target
  }
  if (!existing.isFile()) throw new Error(`${target} is not a file`)
  if (await isPartOfStore(existing, path)) throw new Error(`${target} is the store itself`)
  if (!replace) throw new Error(`${target} exists; --force replaces it`)
  // A symbolic link remains and points to the new file.
  const file = await realpath(target)
  refuseSideFiles(file)
  return file
}

function refuseLongName(target: string, error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') return
  const bytes = Buffer.byteLength(basename(target))
  throw new Error(`the name of the backup is too long (${bytes} bytes). Choose a shorter one`, {
    cause: error,
  })
}

/** Refuses a name that SQLite may give to a file of the store later. */
async function refuseNameOfStore(path: string, target: string): Promise<void> {
  const folder = await realpath(dirname(target)).catch(() => dirname(target))
  const file = join(folder, basename(target))
  const store = await realpath(path)
  if (!SIDE_FILES.some((suffix) => file === store + suffix)) return
  throw new Error(`${target} is reserved for the store itself. Choose another name`)
}

/**
 * Refuses a target that has files of SQLite beside it. Either a program has the target open, and
 * would keep using a deleted file; or it was not closed, and SQLite would apply its WAL to the copy.
 */
function refuseSideFiles(file: string): void {
  const sideFile = SIDE_FILES.map((suffix) => file + suffix).find((path) => existsSync(path))
  if (sideFile === undefined) return
  throw new Error(
    `${sideFile} exists: a program has ${file} open, or did not close it. Stop the program, or choose another name`,
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
 * Copies page by page inside one read transaction. Without it, SQLite restarts whenever another
 * process writes between two steps: under constant writes a copy of 300 MB never finished, and takes
 * 0.6 s with it. The transaction does not block writers, but the WAL grows until it ends. VACUUM
 * INTO has the same effect, rebuilds every table and index, and reports no progress.
 */
async function copyDatabase(
  path: string,
  part: string,
  { signal, onProgress }: BackupOptions,
): Promise<number> {
  using db = openSource(path)
  // Without the memory map, a truncated file is an error of SQLite and does not kill the process.
  db.exec('PRAGMA query_only = ON; PRAGMA mmap_size = 0; BEGIN')
  const pageBytes = pageBytesOf(db)
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
  const totalBytes = pages * pageBytes
  await backup(db, part, {
    rate: Math.floor(STEP_BYTES / pageBytes),
    progress: ({ totalPages, remainingPages }) => {
      // Throwing is the only way to stop the copy.
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
  try {
    if (schemaVersion(db) === 0) throw new Error(`${path} is not a store`)
    findMissing(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Checks the copy in a separate process. The check of a large store takes minutes, and SQLite cannot
 * be interrupted meanwhile, but a process can be killed.
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
