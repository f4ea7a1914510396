import {
  type FileHandle,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ServiceClient } from '../../client/service-client.ts'
import {
  type ExportPoint,
  type ExportProgress,
  type ExportRequest,
  exportObjects,
  keyOf,
} from './export-objects.ts'
import { ExportScanner } from './export-scanner.ts'

/**
 * An export into a file. It grows under another name, `FILE.part`, and gets its own when it is
 * complete; `FILE.part.json` keeps what is needed to go on after an interruption.
 */

export interface FileExportOptions {
  /** Take up what an earlier run has left; start at the beginning when it has left nothing. */
  readonly resume?: boolean
  readonly onProgress?: (progress: ExportProgress) => void
  /** How much an earlier run has left. */
  readonly onResume?: (kept: ExportProgress) => void
}

/** What `FILE.part.json` holds. */
interface ExportNote {
  readonly request: NotedRequest
  readonly version: string
}

type NotedRequest = Readonly<Record<string, string | undefined>>

interface Kept extends ExportProgress {
  readonly point: ExportPoint
}

export async function exportToFile(
  client: ServiceClient,
  request: ExportRequest,
  name: string,
  options: FileExportOptions = {},
): Promise<ExportProgress> {
  const target = await stat(name).catch(() => undefined)
  // Only a file can be replaced: a pipe or a device is there to be written into.
  if (target !== undefined && !target.isFile()) {
    return await exportInto(client, request, name, options)
  }
  // What a link points to is replaced, not the link.
  const path = target === undefined ? name : await realpath(name)
  const { resume = false, onProgress = () => {}, onResume } = options
  const part = `${path}.part`
  const notePath = `${path}.part.json`
  const noted = noteOf(client, request)
  const kept = resume ? await readKept(client, request, noted, { part, notePath }) : undefined
  if (kept !== undefined) onResume?.({ objects: kept.objects, bytes: kept.bytes })
  const before = kept ?? { bytes: 0 }

  const total = ({ objects, bytes }: ExportProgress) => ({ objects, bytes: before.bytes + bytes })
  const file = await openPart(part, notePath, kept)
  let written: ExportProgress
  try {
    let at = before.bytes
    written = await exportObjects(
      client,
      request,
      {
        begin: (version) => writeNote(notePath, { request: noted, version }),
        write: async (bytes) => {
          await writeAll(file, bytes, part, at)
          at += bytes.length
        },
      },
      { from: kept?.point, onProgress: (progress) => onProgress(total(progress)) },
    )
    await file.sync().catch((error) => {
      throw fileError(part, error)
    })
  } finally {
    await file.close()
  }
  await rename(part, path).catch((error) => {
    throw fileError(path, error)
  })
  await rm(notePath, { force: true })
  return total(written)
}

/** Writes into what is no file, from beginning to end. */
async function exportInto(
  client: ServiceClient,
  request: ExportRequest,
  path: string,
  { resume, onProgress = () => {} }: FileExportOptions,
): Promise<ExportProgress> {
  if (resume) throw new Error(`${path} is not a file, so that --resume has nothing to read`)
  const device = await open(path, 'w').catch((error) => {
    throw fileError(path, error)
  })
  try {
    const sink = {
      begin: async () => {},
      write: (bytes: Uint8Array) => writeAll(device, bytes, path),
    }
    return await exportObjects(client, request, sink, { onProgress })
  } finally {
    await device.close()
  }
}

/** Two exports with the same note have the same bytes. */
function noteOf(client: ServiceClient, request: ExportRequest): NotedRequest {
  const { ontology, objectType, format, where, select } = request
  // Through JSON, so that what is left out compares equal to what was never written.
  return JSON.parse(
    JSON.stringify({ url: client.connection.url, ontology, objectType, format, where, select }),
  )
}

async function openPart(
  part: string,
  notePath: string,
  kept: Kept | undefined,
): Promise<FileHandle> {
  try {
    if (kept === undefined) {
      await rm(notePath, { force: true })
      return await open(part, 'w')
    }
    const file = await open(part, 'r+')
    await file.truncate(kept.bytes)
    return file
  } catch (error) {
    throw fileError(part, error)
  }
}

async function writeAll(
  file: FileHandle,
  bytes: Uint8Array,
  path: string,
  position?: number,
): Promise<void> {
  try {
    for (let done = 0; done < bytes.length; ) {
      const at = position === undefined ? null : position + done
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at)
      done += bytesWritten
    }
  } catch (error) {
    throw fileError(path, error)
  }
}

async function writeNote(path: string, note: ExportNote): Promise<void> {
  await writeFile(path, `${JSON.stringify(note)}\n`).catch((error) => {
    throw fileError(path, error)
  })
}

/** What an earlier run has left: whole records, and the point after the last of them. */
async function readKept(
  client: ServiceClient,
  request: ExportRequest,
  noted: NotedRequest,
  { part, notePath }: { part: string; notePath: string },
): Promise<Kept | undefined> {
  const note = await readNote(notePath)
  if (note === undefined) return undefined
  const differing = differences(note.request, noted)
  if (differing.length > 0) {
    throw new Error(
      `${part} belongs to another export (${differing.join(', ')}): repeat that request, or leave --resume out`,
    )
  }
  const scanner = new ExportScanner(request.format, { goesOn: false })
  let bytes = 0
  const file = await open(part, 'r').catch(() => undefined)
  if (file === undefined) return undefined
  for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES })) {
    scanner.push(chunk)
    bytes += chunk.length
  }
  const { held, header, records, tail } = scanner
  if (held === undefined || records === 0) return undefined
  const primaryKey = await client.primaryKeyOf(request)
  const after = keyOf(held, request.format, primaryKey, header)
  return {
    objects: records,
    bytes: bytes - tail.length,
    point: { version: note.version, after, header, objects: records },
  }
}

const CHUNK_BYTES = 1024 * 1024

async function readNote(path: string): Promise<ExportNote | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const note = parseNote(text)
  if (note === undefined) throw new Error(`${path} is damaged: leave --resume out to start anew`)
  return note
}

/** Undefined when the text is no note: a run that was killed may have written half of it. */
function parseNote(text: string): ExportNote | undefined {
  let note: unknown
  try {
    note = JSON.parse(text)
  } catch {
    return undefined
  }
  const { request, version } = (note ?? {}) as Readonly<Record<string, unknown>>
  if (typeof version !== 'string' || typeof request !== 'object' || request === null) {
    return undefined
  }
  const isNoted = Object.values(request).every((value) => typeof value === 'string')
  return isNoted ? { request: request as NotedRequest, version } : undefined
}

function differences(left: NotedRequest, right: NotedRequest): string[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names]
    .filter((name) => !isDeepStrictEqual(left[name], right[name]))
    .map((name) => `${name} was ${left[name] ?? 'not given'}, is ${right[name] ?? 'not given'}`)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk; --resume goes on when there is',
  EDQUOT: 'the disk quota is used up; --resume goes on when there is room',
  EFBIG: 'the file would grow too large',
  ENOENT: 'there is no such folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
}

function fileError(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Error(`${path} cannot be written: ${REASONS[code] ?? message}`, {
    cause: error,
  })
}
