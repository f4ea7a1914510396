/**
 * The files of a database, looked at from outside. Only SQLite opens them: under POSIX, closing any
 * descriptor of a file drops every lock that the process holds on it. A process that lost its lock
 * has its WAL deleted by the next program that closes the database, and what it commits after that
 * is lost.
 */

import { closeSync, mkdirSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Creates the file of a database where there is none, and returns its path without symbolic links:
 * SQLite keeps the WAL beside the real file. The file holds keys and all data, so only its owner may
 * read it; SQLite gives the WAL the same mode.
 */
export function createDatabaseFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = resolveLinks(path)
  try {
    // Exclusive: a file that exists is not opened, so no lock of this process can be dropped.
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  return file
}

/** The bytes of a file; 0 where there is none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Whether commits wait in a WAL: after a crash, or while another process uses the database. */
export function hasWal(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0
}

/** Whether a database lost its contents: SQLite fills the file of a new one before it makes a WAL. */
export function isEmptied(path: string): boolean {
  // In this order: another process may just be filling a new file.
  return hasWal(path) && sizeOf(path) === 0
}

/**
 * Whether a file ends within a page, which SQLite would fill up with zeros. With a WAL that proves
 * nothing: a crash may have cut the page while it was copied from there, and it is copied again.
 */
export function endsWithinPage(path: string, pageBytes: number): boolean {
  return sizeOf(path) % pageBytes !== 0
}

/** Resolves symbolic links, also of a link whose target does not exist yet. */
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

/** The database, its WAL and the index of the WAL: all of them stay for as long as one is open. */
const SUFFIXES = ['', '-wal', '-shm']

/**
 * The files behind an open connection. SQLite creates the WAL with the first connection and deletes
 * it with the last one, whichever process that is, so while a connection is open the paths must
 * lead to the same files.
 */
export class OpenFiles {
  readonly #path: string
  readonly #files: readonly (string | undefined)[]

  /** Notes the files; a connection must be open, and have been read from. */
  constructor(path: string) {
    this.#path = path
    this.#files = SUFFIXES.map((suffix) => fileId(path + suffix))
    const missing = SUFFIXES.find((_, at) => this.#files[at] === undefined)
    if (missing !== undefined) throw new Error(`there is no ${path}${missing}`)
  }

  /** Whether the paths still lead to the files that SQLite has open. */
  areInPlace(): boolean {
    return SUFFIXES.every((suffix, at) => fileId(this.#path + suffix) === this.#files[at])
  }
}

function fileId(path: string): string | undefined {
  // As bigints: inode numbers of some file systems are larger than a number holds.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}
