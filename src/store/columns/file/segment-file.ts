/**
 * Files that hold the base segment of a table, so that a restart does not build it again. A file is
 * believed only if its checksum fits, and if the catalogue has a record of its name: a restored
 * database must not meet the columns of another history.
 */
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { ColumnSegmentRecord } from '../feed/column-feed.ts'
import type { BaseSegment } from '../table/table-columns.ts'

/** Changes with the form of segments; other files are not read. */
const MAGIC = Buffer.from('oqs columns 3\n')
const SUFFIX = '.segment'
/** The length of the header and the checksum of everything after the fixed part. */
const FIXED_BYTES = MAGIC.length + 8
/** Read and written at once. */
const PORTION_BYTES = 4 * 1024 * 1024

/** What a file says about its segment, and its own name: a copy under another name is not believed. */
type Header = Omit<BaseSegment, 'buffer'> & { readonly name: string }

/** Writes a file, which is complete on disk before it has its name. */
export async function writeSegment(
  folder: string,
  name: string,
  { buffer, ...header }: BaseSegment,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name + SUFFIX)
  // JSON has no infinities, which the bounds of columns can be.
  const headerBytes = serialize({ ...header, name } satisfies Header)
  const image = new Uint8Array(buffer)
  const fixed = Buffer.alloc(FIXED_BYTES)
  MAGIC.copy(fixed)
  fixed.writeUInt32LE(headerBytes.length, MAGIC.length)
  fixed.writeUInt32LE(checksumOf(headerBytes, image), MAGIC.length + 4)
  try {
    await using file = await open(`${path}.new`, 'w', 0o600)
    // Unlike `write()`, this never writes only a part: a full disk is an error.
    for (const part of [fixed, headerBytes, ...portionsOf(image)]) await file.appendFile(part)
    await file.sync()
    await rename(`${path}.new`, path)
  } catch (error) {
    // Half a file must not keep a disk full.
    await rm(`${path}.new`, { force: true })
    throw error
  }
}

/** Reads a file; undefined if it is missing, damaged, or not what the catalogue says. */
export async function readSegment(
  folder: string,
  { name, table, generation, version }: ColumnSegmentRecord,
): Promise<BaseSegment | undefined> {
  try {
    const segment = await readFile(join(folder, name + SUFFIX))
    const isRecorded =
      segment?.name === name &&
      segment.source.table === table &&
      segment.generation === generation &&
      segment.version === version
    return isRecorded ? segment : undefined
  } catch {
    return undefined
  }
}

async function readFile(path: string): Promise<(BaseSegment & Header) | undefined> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const fixed = Buffer.alloc(FIXED_BYTES)
  await file.read(fixed, 0, FIXED_BYTES, 0)
  if (!fixed.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const headerLength = fixed.readUInt32LE(MAGIC.length)
  const imageLength = size - FIXED_BYTES - headerLength
  if (imageLength < 0) return undefined
  const header = Buffer.alloc(headerLength)
  await file.read(header, 0, headerLength, FIXED_BYTES)
  const buffer = new SharedArrayBuffer(imageLength)
  const image = new Uint8Array(buffer)
  let at = FIXED_BYTES + headerLength
  let checksum = crc32(header)
  for (const portion of portionsOf(image)) {
    const { bytesRead } = await file.read(portion, 0, portion.length, at)
    if (bytesRead !== portion.length) return undefined
    checksum = crc32(portion, checksum)
    at += bytesRead
  }
  if (checksum !== fixed.readUInt32LE(MAGIC.length + 4)) return undefined
  return { ...(deserialize(header) as Header), buffer }
}

export async function removeSegment(folder: string, name: string): Promise<void> {
  await rm(join(folder, name + SUFFIX), { force: true })
}

/** Remembers that a segment is in use, for the next start. */
export async function touchSegment(folder: string, name: string): Promise<void> {
  const now = new Date()
  await utimes(join(folder, name + SUFFIX), now, now)
}

export interface KeptSegment {
  readonly bytes: number
  /** When the segment was last in use. */
  readonly usedAtMs: number
}

/** Deletes files, all but those with one of the names; returns those that remain, by name. */
export async function keepSegments(
  folder: string,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KeptSegment>> {
  const files = await readdir(folder).catch(() => [])
  const byFile = new Map([...names].map((name) => [name + SUFFIX, name]))
  await Promise.all(
    files
      .filter((file) => !byFile.has(file))
      .map((file) => rm(join(folder, file), { force: true }).catch(() => {})),
  )
  const kept = new Map<string, KeptSegment>()
  for (const file of files) {
    const name = byFile.get(file)
    const found = name && (await stat(join(folder, file)).catch(() => undefined))
    if (found) kept.set(name, { bytes: found.size, usedAtMs: found.mtimeMs })
  }
  return kept
}

function checksumOf(header: Uint8Array, image: Uint8Array): number {
  let checksum = crc32(header)
  for (const portion of portionsOf(image)) checksum = crc32(portion, checksum)
  return checksum
}

function* portionsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PORTION_BYTES) {
    yield bytes.subarray(at, at + PORTION_BYTES)
  }
}
