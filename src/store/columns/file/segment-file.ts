/**
 * Files that hold the base of a table, so that a restart does not build it again. A file is believed
 * only if its checksum fits, and if the catalogue has a record of its name: a restored database must
 * not meet the columns of another history.
 *
 * A file begins with the images of its segments, so that they can be written before it is known which
 * version they are of. What is known at the end follows them.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { ColumnSegmentRecord } from '../feed/column-feed.ts'
import type { BuiltSegment } from '../segment/build-segment.ts'
import type { SegmentPlace } from '../segment/segment.ts'
import type { BaseSegments } from '../table/table-columns.ts'

/** Changes with the form of segments; other files are not read. */
const MAGIC = Buffer.from('oqs columns 4\n')
const SUFFIX = '.segment'
const NEW = '.new'
/** At the end: the length of the description, and the checksum of everything else. */
const FIXED_BYTES = 8
/** Read and written at once. */
const PORTION_BYTES = 4 * 1024 * 1024

/** A segment in a file. */
export interface FileSegment {
  readonly place: SegmentPlace
  readonly bytes: number
}

/** The segments of a file that is not described yet. */
export interface WrittenSegments {
  readonly name: string
  readonly segments: readonly FileSegment[]
  readonly checksum: number
}

/** What a file says about its segments, and its own name: a copy under another name is not believed. */
type Description = Omit<BaseSegments, 'segments'> & Omit<WrittenSegments, 'checksum'>

/** Writes segments into a file that has no name yet under which it would be read. */
export class SegmentWriter implements Disposable {
  readonly #name: string
  readonly #path: string
  readonly #segments: FileSegment[] = []
  #file: number | undefined
  #checksum = crc32(MAGIC)
  #bytes = 0
  #isKept = false

  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#name = name
    this.#path = pathOf(folder, name) + NEW
    this.#file = openSync(this.#path, 'w', 0o600)
    writeAll(this.#file, MAGIC)
  }

  /** The bytes of the segments so far. */
  get bytes(): number {
    return this.#bytes
  }

  add({ buffer, place }: BuiltSegment): void {
    if (this.#file === undefined) throw new Error('the file is complete')
    for (const portion of portionsOf(new Uint8Array(buffer))) {
      writeAll(this.#file, portion)
      this.#checksum = crc32(portion, this.#checksum)
    }
    this.#bytes += buffer.byteLength
    this.#segments.push({ place, bytes: buffer.byteLength })
  }

  finish(): WrittenSegments {
    if (this.#file === undefined) throw new Error('the file is complete')
    fsyncSync(this.#file)
    this.#isKept = true
    this.#close()
    return { name: this.#name, segments: this.#segments, checksum: this.#checksum }
  }

  /** Removes the file unless it is complete: half a file must not keep a disk full. */
  [Symbol.dispose](): void {
    this.#close()
    if (!this.#isKept) rmSync(this.#path, { force: true })
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** Describes the segments of a file, which is complete on disk before it has its name. */
export async function describeSegments(
  folder: string,
  { name, segments, checksum }: WrittenSegments,
  base: Omit<BaseSegments, 'segments'>,
): Promise<void> {
  const path = pathOf(folder, name)
  // JSON has no infinities, which the bounds of columns can be.
  const description = serialize({ ...base, name, segments } satisfies Description)
  const fixed = Buffer.alloc(FIXED_BYTES)
  fixed.writeUInt32LE(description.length, 0)
  fixed.writeUInt32LE(crc32(description, checksum), 4)
  try {
    await using file = await open(path + NEW, 'a', 0o600)
    // Unlike `write()`, this never writes only a part: a full disk is an error.
    await file.appendFile(Buffer.concat([description, fixed]))
    await file.sync()
    await rename(path + NEW, path)
  } catch (error) {
    await rm(path + NEW, { force: true })
    throw error
  }
}

/** Reads a file; undefined if it is missing, damaged, or not what the catalogue says. */
export async function readSegments(
  folder: string,
  { name, table, generation, version }: ColumnSegmentRecord,
): Promise<BaseSegments | undefined> {
  try {
    const read = await readFile(pathOf(folder, name))
    const isRecorded =
      read?.name === name &&
      read.source.table === table &&
      read.generation === generation &&
      read.version === version
    return isRecorded ? read : undefined
  } catch {
    return undefined
  }
}

async function readFile(
  path: string,
): Promise<(BaseSegments & Pick<Description, 'name'>) | undefined> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const read = async (bytes: Uint8Array, at: number) => {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
    if (bytesRead !== bytes.length) throw new Error('the file is truncated')
    return bytes
  }
  const magic = await read(Buffer.alloc(MAGIC.length), 0)
  if (!MAGIC.equals(magic)) return undefined
  const fixed = Buffer.alloc(FIXED_BYTES)
  await read(fixed, size - FIXED_BYTES)
  const descriptionLength = fixed.readUInt32LE(0)
  const imagesEnd = size - FIXED_BYTES - descriptionLength
  if (imagesEnd < MAGIC.length) return undefined
  const description = await read(Buffer.alloc(descriptionLength), imagesEnd)
  const { segments, ...base } = deserialize(description) as Description
  const imageBytes = segments.reduce((sum, { bytes }) => sum + bytes, 0)
  if (MAGIC.length + imageBytes !== imagesEnd) return undefined
  let at = MAGIC.length
  let checksum = crc32(MAGIC)
  const built: BuiltSegment[] = []
  for (const { place, bytes } of segments) {
    const buffer = new SharedArrayBuffer(bytes)
    for (const portion of portionsOf(new Uint8Array(buffer))) {
      await read(portion, at)
      checksum = crc32(portion, checksum)
      at += portion.length
    }
    built.push({ buffer, place })
  }
  return crc32(description, checksum) === fixed.readUInt32LE(4)
    ? { ...base, segments: built }
    : undefined
}

/** Removes a file, whether it is described or not. */
export async function removeSegments(folder: string, name: string): Promise<void> {
  const path = pathOf(folder, name)
  await Promise.all([path, path + NEW].map((file) => rm(file, { force: true })))
}

/** Remembers that a file is in use, for the next start. */
export async function touchSegments(folder: string, name: string): Promise<void> {
  const now = new Date()
  await utimes(pathOf(folder, name), now, now)
}

export interface KeptFile {
  readonly bytes: number
  /** When its segments were last in use. */
  readonly usedAtMs: number
}

/** Deletes files, all but those with one of the names; returns those that remain, by name. */
export async function keepFiles(
  folder: string,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KeptFile>> {
  const files = await readdir(folder).catch(() => [])
  const byFile = new Map([...names].map((name) => [name + SUFFIX, name]))
  await Promise.all(
    files
      .filter((file) => !byFile.has(file))
      .map((file) => rm(join(folder, file), { force: true }).catch(() => {})),
  )
  const kept = new Map<string, KeptFile>()
  for (const file of files) {
    const name = byFile.get(file)
    const found = name && (await stat(join(folder, file)).catch(() => undefined))
    if (found) kept.set(name, { bytes: found.size, usedAtMs: found.mtimeMs })
  }
  return kept
}

function pathOf(folder: string, name: string): string {
  return join(folder, name + SUFFIX)
}

/** Unlike a single call, never writes only a part. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += writeSync(file, bytes, at));
}

function* portionsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PORTION_BYTES) {
    yield bytes.subarray(at, at + PORTION_BYTES)
  }
}
