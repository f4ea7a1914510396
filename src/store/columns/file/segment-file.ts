/**
 * Files that hold the base of a table: a restart does not build it again, and memory holds only those
 * columns that questions need. A file is believed only if the catalogue has a record of its name: a
 * restored database must not meet the columns of another history. Each array has a checksum of its own,
 * because most of them are not read, or much later.
 *
 * A file begins with the images of its segments, so that they can be written before it is known which
 * version they are of. What is known at the end follows them.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { bytesOfArray, placesIn } from '../arrays/shared-arrays.ts'
import type { ColumnSegmentRecord } from '../feed/column-feed.ts'
import type { BuiltSegment } from '../segment/build-segment.ts'
import { type FileArray, FileImage } from '../segment/file-image.ts'
import type { SegmentPlace } from '../segment/segment.ts'
import type { BaseSegments } from '../table/table-columns.ts'

/** Changes with the form of segments; other files are not read. */
const MAGIC = Buffer.from('oqs columns 5\n')
const SUFFIX = '.segment'
const NEW = '.new'
/** At the end: the length of the description, and its checksum. */
const FIXED_BYTES = 8
/** Written at once. */
const WRITTEN_BYTES = 64 * 1024 * 1024

/** A segment in a file. */
export interface FileSegment {
  readonly place: SegmentPlace
  readonly bytes: number
  readonly arrays: readonly FileArray[]
}

/** The segments of a file that is not described yet. */
export interface WrittenSegments {
  readonly name: string
  readonly segments: readonly FileSegment[]
}

/** What a file says about its segments, and its own name: a copy under another name is not believed. */
type Description = Omit<BaseSegments, 'segments'> & WrittenSegments

/** Writes segments into a file that has no name yet under which it would be read. */
export class SegmentWriter implements Disposable {
  readonly #name: string
  readonly #path: string
  readonly #segments: FileSegment[] = []
  #file: number | undefined
  #isKept = false

  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#name = name
    this.#path = pathOf(folder, name) + NEW
    this.#file = openSync(this.#path, 'w', 0o600)
    writeAll(this.#file, MAGIC)
  }

  add({ buffer, place }: BuiltSegment): void {
    if (this.#file === undefined) throw new Error('the file is complete')
    writeAll(this.#file, new Uint8Array(buffer))
    this.#segments.push({ place, bytes: buffer.byteLength, arrays: arraysOf(buffer, place) })
  }

  finish(): WrittenSegments {
    if (this.#file === undefined) throw new Error('the file is complete')
    fsyncSync(this.#file)
    this.#isKept = true
    this.#close()
    return { name: this.#name, segments: this.#segments }
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

/** Returns the arrays of an image. Places that have the same array name it once. */
function arraysOf(buffer: SharedArrayBuffer, place: SegmentPlace): readonly FileArray[] {
  const arrays = new Map<number, FileArray>()
  for (const array of placesIn(place)) {
    const { offset } = array
    const bytes = bytesOfArray(array)
    if (bytes === 0 || arrays.has(offset)) continue
    arrays.set(offset, { offset, bytes, checksum: crc32(new Uint8Array(buffer, offset, bytes)) })
  }
  return [...arrays.values()]
}

/** Describes the segments of a file, which is complete on disk before it has its name. */
export async function describeSegments(
  folder: string,
  { name, segments }: WrittenSegments,
  base: Omit<BaseSegments, 'segments'>,
): Promise<void> {
  const path = pathOf(folder, name)
  // JSON has no infinities, which the bounds of columns can be.
  const description = serialize({ ...base, name, segments } satisfies Description)
  const fixed = Buffer.alloc(FIXED_BYTES)
  fixed.writeUInt32LE(description.length, 0)
  fixed.writeUInt32LE(crc32(description), 4)
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

/** Opens a file, without reading columns; undefined if it is missing, damaged, or another than recorded. */
export async function openSegments(
  folder: string,
  { name, table, generation, version }: ColumnSegmentRecord,
): Promise<BaseSegments | undefined> {
  const path = pathOf(folder, name)
  const read = await readDescription(path).catch(() => undefined)
  if (read === undefined) return undefined
  const { name: writtenName, segments, ...base } = read
  const isRecorded =
    writtenName === name &&
    base.source.table === table &&
    base.generation === generation &&
    base.version === version
  if (!isRecorded) return undefined
  let start = MAGIC.length
  const opened = segments.map(({ place, bytes, arrays }) => {
    const image = new FileImage(path, start, arrays)
    start += bytes
    return { place, image }
  })
  return { ...base, segments: opened }
}

async function readDescription(path: string): Promise<Description | undefined> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const read = async (length: number, at: number) => {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await file.read(bytes, 0, length, at)
    if (bytesRead !== length) throw new Error('the file is truncated')
    return bytes
  }
  if (!MAGIC.equals(await read(MAGIC.length, 0))) return undefined
  const fixed = await read(FIXED_BYTES, size - FIXED_BYTES)
  const length = fixed.readUInt32LE(0)
  const imagesEnd = size - FIXED_BYTES - length
  if (imagesEnd < MAGIC.length) return undefined
  const bytes = await read(length, imagesEnd)
  if (crc32(bytes) !== fixed.readUInt32LE(4)) return undefined
  const description = deserialize(bytes) as Description
  const imageBytes = description.segments.reduce((sum, segment) => sum + segment.bytes, 0)
  return MAGIC.length + imageBytes === imagesEnd ? description : undefined
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
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, Math.min(WRITTEN_BYTES, bytes.length - at))
  }
}
