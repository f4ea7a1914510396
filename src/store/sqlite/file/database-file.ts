/**
 * The files of a database. Only SQLite may open the database and the WAL index: under POSIX, closing
 * any descriptor of a file drops all locks that the process holds on it. The next program that
 * closes the database would then delete the WAL, and later commits of this process would be lost.
 */
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Creates the file of a database unless it exists, and returns its path without symbolic links,
 * because SQLite creates the WAL beside the real file. Only the owner may read the file, which
 * contains keys and all data; SQLite gives the WAL the same mode.
 */
export function createDatabaseFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = resolveLinks(path)
  try {
    // Exclusive: an existing file is not opened, so no lock of this process is dropped.
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  return file
}

/** Returns the size of a file; 0 if it does not exist. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** True if there is a WAL: after a crash, or while another process uses the database. */
export function hasWal(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0
}

/** True if a database lost its contents: SQLite writes a new file before it creates the WAL. */
export function isEmptied(path: string): boolean {
  // In this order, because another process may be writing a new file at this moment.
  return hasWal(path) && sizeOf(path) === 0
}

/**
 * True if a file ends within a page, which SQLite would fill up with zeros. This proves nothing if
 * there is a WAL: a checkpoint that was interrupted by a crash is repeated.
 */
export function endsWithinPage(path: string, pageBytes: number): boolean {
  return sizeOf(path) % pageBytes !== 0
}

/** Resolves symbolic links, even if the target does not exist yet. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const link = readLink(path)
  if (link !== undefined) return resolveLinks(resolve(dirname(path), link))
  return join(realpathSync(dirname(path)), basename(path))
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/** The first bytes of a WAL, for checksums in either byte order. */
const WAL_MAGIC: readonly number[] = [0x377f0682, 0x377f0683]

/**
 * The files of an open database. SQLite creates the WAL with the first connection of any process and
 * deletes it with the last, so the paths must lead to the same files while a connection is open.
 */
export class OpenFiles implements Disposable {
  readonly #ids: Readonly<Record<string, string>>
  /** Safe to close, because SQLite locks the database and the WAL index, but not the WAL. */
  readonly #wal: number
  readonly #magic = Buffer.alloc(4)
  #isClosed = false

  /** Remembers the current files. A connection must be open and must have been read from. */
  constructor(path: string) {
    const wal = `${path}-wal`
    const shm = `${path}-shm`
    const ids = { [path]: existingId(path), [shm]: existingId(shm) }
    this.#wal = openSync(wal, 'r')
    this.#ids = { ...ids, [wal]: idOf(fstatSync(this.#wal, { bigint: true })) }
  }

  /** True if the paths still lead to the files that SQLite has open. */
  areInPlace(): boolean {
    return Object.entries(this.#ids).every(([path, id]) => fileId(path) === id)
  }

  /**
   * True if the WAL is empty or starts like one. SQLite notices a truncated WAL only when it is
   * opened again: it appends commits behind a gap, and they would be lost with their header.
   */
  isWalIntact(): boolean {
    const bytes = readSync(this.#wal, this.#magic, 0, this.#magic.length, 0)
    // Another program may have moved all commits to the database and truncated the WAL.
    return bytes === 0 || (bytes === 4 && WAL_MAGIC.includes(this.#magic.readUInt32BE()))
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    // The number of a closed descriptor may belong to another file by now.
    this.#isClosed = true
    closeSync(this.#wal)
  }
}

function fileId(path: string): string | undefined {
  // As bigints, because inode numbers of some file systems exceed the exact range of a number.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && idOf(stats)
}

function existingId(path: string): string {
  const id = fileId(path)
  if (id === undefined) throw new Error(`${path} does not exist`)
  return id
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`
}
