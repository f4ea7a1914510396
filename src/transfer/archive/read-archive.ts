/** Reads a tar archive of an ontology, also one that another program packed again. */
import { type FileHandle, open } from 'node:fs/promises'
import { compressionOfBytes } from '../../formats/file-format.ts'
import { UnreadableFile } from '../../formats/row.ts'
import { readPaxRecords, readTarHeader, TAR_BLOCK } from '../../formats/tar.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { decompress, handleBytes } from '../input/input-bytes.ts'
import { spool, TEMP_MAX_BYTES } from '../input/input-file.ts'
import { DEFINITION_FILE, MANIFEST_FILE, type Manifest } from './write-archive.ts'

interface Entry {
  readonly start: number
  readonly size: number
}

/** The largest definition or manifest that is read into memory. */
const TEXT_MAX_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

export interface Archive extends AsyncDisposable {
  readonly definition: OntologyDefinition
  readonly manifest: Manifest
  /** The number of bytes of objects read so far. */
  readonly bytesRead: number
  /** Returns the bytes of a file in the archive. */
  read(name: string): AsyncGenerator<Uint8Array>
}

export async function openArchive(path: string): Promise<Archive> {
  const cleanups: (() => Promise<void>)[] = []
  const close = async () => {
    for (let next = cleanups.pop(); next !== undefined; next = cleanups.pop()) await next()
  }
  try {
    const given = await open(path, 'r')
    cleanups.push(() => given.close())
    const compression = compressionOfBytes(await readSome(given, 0, TAR_BLOCK))
    const file =
      compression === undefined
        ? given
        : await spool(decompress(handleBytes(given), compression), {
            maxBytes: TEMP_MAX_BYTES,
            cleanups,
          })
    const entries = await readEntries(file)
    const definition = checkDefinition(await readJson(file, entries, DEFINITION_FILE))
    const manifest = checkManifest(await readJson(file, entries, MANIFEST_FILE))
    let bytesRead = 0
    async function* read(name: string): AsyncGenerator<Uint8Array> {
      const entry = entries.get(name)
      if (entry === undefined) throw new UnreadableFile(`has no ${name}`)
      const end = entry.start + entry.size
      for (let at = entry.start; at < end; ) {
        const bytes = await readAt(file, at, Math.min(CHUNK_BYTES, end - at))
        at += bytes.length
        bytesRead += bytes.length
        yield bytes
      }
    }
    return {
      definition,
      manifest,
      get bytesRead() {
        return bytesRead
      },
      read,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw describeError(path, error)
  }
}

function describeError(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'the file does not exist' : message
  return new UnreadableFile(`${path}: ${reason}`, { cause: error })
}

async function readEntries(file: FileHandle): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  const { size: fileSize } = await file.stat()
  let given: { path?: string; size?: number } = {}
  for (let at = 0; at + TAR_BLOCK <= fileSize; ) {
    const header = readTarHeader(await readAt(file, at, TAR_BLOCK))
    if (header === undefined) break
    const size = given.size ?? header.size
    const start = at + TAR_BLOCK
    if (start + size > fileSize) throw new UnreadableFile(`is truncated in ${header.name}`)
    if (header.kind === 'pax') given = readPaxRecords(await readText(file, { start, size }))
    else if (header.kind === 'long name') {
      given = {
        path: new TextDecoder().decode(await readText(file, { start, size })).replace(/\0.*$/, ''),
      }
    } else {
      const name = (given.path ?? header.name).replace(/^\.\//, '')
      if (header.kind === 'file') entries.set(name, { start, size })
      given = {}
    }
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
  return entries
}

async function readJson(
  file: FileHandle,
  entries: ReadonlyMap<string, Entry>,
  name: string,
): Promise<unknown> {
  const entry = entries.get(name)
  if (entry === undefined) {
    throw new UnreadableFile(`has no ${name}: it is incomplete, or not an archive of an ontology`)
  }
  try {
    return JSON.parse(new TextDecoder().decode(await readText(file, entry)))
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`${name} is not JSON`, { cause: error })
  }
}

async function readText(file: FileHandle, { start, size }: Entry): Promise<Uint8Array> {
  if (size > TEXT_MAX_BYTES) throw new UnreadableFile('is damaged: a description is too large')
  return readAt(file, start, size)
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = await readSome(file, at, length)
  if (bytes.length < length) throw new UnreadableFile('is truncated')
  return bytes
}

/** Reads up to `length` bytes; fewer only at the end of the file. */
async function readSome(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, at + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

export function checkDefinition(value: unknown): OntologyDefinition {
  if (isDefinition(value)) return value
  throw new UnreadableFile(`${DEFINITION_FILE} is not the definition of an ontology`)
}

function isDefinition(value: unknown): value is OntologyDefinition {
  if (!isJsonObject(value) || typeof value['apiName'] !== 'string') return false
  const types = value['objectTypes']
  return Array.isArray(types) && types.every(isJsonObject)
}

export function checkManifest(value: unknown): Manifest {
  if (!isJsonObject(value) || value['format'] !== 'oqs-archive') {
    throw new UnreadableFile(`${MANIFEST_FILE} is not the manifest of an archive`)
  }
  if (value['formatVersion'] !== 1) throw new UnreadableFile('was written by a newer version')
  const types = value['objectTypes']
  if (!isJsonObject(types)) throw new UnreadableFile(`${MANIFEST_FILE} lists no object types`)
  for (const [name, type] of Object.entries(types)) {
    const count = isJsonObject(type) ? type['count'] : undefined
    if (!Number.isSafeInteger(count) || Number(count) < 0) {
      throw new UnreadableFile(`${MANIFEST_FILE} has no valid number of objects for ${name}`)
    }
  }
  return value as object as Manifest
}
