/**
 * Exports to a file. The data is written to `FILE.part`, which is renamed when it is complete;
 * `FILE.part.json` has the state that a resumed export needs.
 */
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
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { RemediableError } from '../../formats/remedy.ts'
import {
  type ExportCursor,
  type ExportOptions,
  type ExportProgress,
  type ExportRequest,
  exportObjects,
  keyOf,
} from './export-objects.ts'
import { ExportScanner } from './export-scanner.ts'
import { exportSlices } from './export-slices.ts'

export interface FileExportOptions {
  /** Continue an earlier run; start from the beginning if there is none. */
  readonly resume?: boolean
  /** The number of slices that are read at the same time. A resumed run reads one. */
  readonly parallel?: number | undefined
  readonly onProgress?: (progress: ExportProgress) => void
  readonly onContinue?: ExportOptions['onContinue']
  /** Called with what the earlier run has written. */
  readonly onResume?: (kept: ExportProgress) => void
}

interface PartialExport extends ExportProgress {
  readonly cursor: ExportCursor
}

/** A file to write: its bytes go to `part`, which is the file itself for a pipe or a device. */
interface Target {
  readonly path: string
  readonly part: string
  readonly isDevice: boolean
}

async function findTarget(name: string): Promise<Target> {
  const stats = await stat(name).catch(() => undefined)
  // A pipe or a device cannot be replaced by a rename.
  if (stats !== undefined && !stats.isFile()) return { path: name, part: name, isDevice: true }
  // Replaces the target of a symbolic link, not the link.
  const path = stats === undefined ? name : await realpath(name)
  return { path, part: `${path}.part`, isDevice: false }
}

/** Writes the part, and gives it the name of the file when it is complete. */
async function writeTarget<Result>(
  { path, part, isDevice }: Target,
  openPart: () => Promise<FileHandle>,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await openPart().catch(failToWrite(part))
  let result: Result
  try {
    result = await write(file)
    if (!isDevice) await file.sync().catch(failToWrite(part))
  } finally {
    await file.close()
  }
  if (!isDevice) await rename(part, path).catch(failToWrite(path))
  return result
}

export async function exportToFile(
  client: Endpoints,
  request: ExportRequest,
  name: string,
  {
    resume = false,
    parallel = 1,
    onProgress = () => {},
    onResume,
    onContinue,
  }: FileExportOptions = {},
): Promise<ExportProgress> {
  const target = await findTarget(name)
  const { path, part, isDevice } = target
  if (isDevice && resume) {
    const remedy = { do: 'startAgain' } as const
    throw new RemediableError(`cannot resume: ${path} is not a regular file`, { remedy })
  }
  const notePath = `${path}.part.json`
  const noted = noteOf(client, request)
  const kept = resume
    ? await readPartialExport(client, request, noted, { part, notePath })
    : undefined
  if (kept !== undefined) onResume?.({ objects: kept.objects, bytes: kept.bytes })
  const before = kept?.bytes ?? 0
  const total = ({ objects, bytes }: ExportProgress) => ({ objects, bytes: before + bytes })
  const openPart = async () => {
    if (kept !== undefined) {
      const file = await open(part, 'r+')
      await file.truncate(kept.bytes)
      return file
    }
    if (!isDevice) await rm(notePath, { force: true })
    return open(part, 'w')
  }
  const written = await writeTarget(target, openPart, (file) => {
    let at = before
    const sink = {
      begin: async (version: string) => {
        if (!isDevice) await writeNote(notePath, { request: noted, version })
      },
      write: async (bytes: Uint8Array) => {
        await writeAll(file, bytes, part, isDevice ? undefined : at)
        at += bytes.length
      },
    }
    const options = {
      from: kept?.cursor,
      onProgress: (progress: ExportProgress) => onProgress(total(progress)),
      onContinue,
    }
    return parallel > 1 && kept === undefined
      ? exportSlices(client, request, sink, {
          parallel,
          temporary: isDevice ? undefined : part,
          onProgress,
        })
      : exportObjects(client, request, sink, options)
  })
  if (!isDevice) await rm(notePath, { force: true })
  return total(written)
}

/** Writes a file from its beginning. Nothing of it is left if it is not complete. */
export async function writeWholeFile<Result>(
  name: string,
  write: (file: FileHandle, path: string) => Promise<Result>,
): Promise<Result> {
  const target = await findTarget(name)
  const { part, isDevice } = target
  return writeTarget(
    target,
    () => open(part, 'w'),
    async (file) => {
      try {
        return await write(file, part)
      } catch (error) {
        if (!isDevice) await rm(part, { force: true })
        throw error
      }
    },
  )
}

/** Writes all bytes, at a position or at the end of what was written before. */
export async function writeAll(
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
    failToWrite(path)(error)
  }
}

/** Finds the complete records of an earlier run, and the cursor after the last of them. */
async function readPartialExport(
  client: Endpoints,
  request: ExportRequest,
  noted: NotedRequest,
  { part, notePath }: { part: string; notePath: string },
): Promise<PartialExport | undefined> {
  const note = await readNote(notePath)
  if (note === undefined) return undefined
  const differing = differences(note.request, noted)
  if (differing.length > 0) {
    throw new RemediableError(
      `cannot resume: ${part} belongs to another export (${differing.join(', ')})`,
      { remedy: { do: 'repeatOrStartAgain' } },
    )
  }
  const scanner = new ExportScanner(request.format, { isContinuation: false })
  let bytes = 0
  const file = await open(part, 'r').catch(() => undefined)
  if (file === undefined) return undefined
  for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES })) {
    scanner.push(chunk)
    bytes += chunk.length
  }
  const { held, header, records, tail } = scanner
  if (held === undefined || records === 0) return undefined
  const primaryKey = await client.revision1.primaryKeyOf(request)
  const after = keyOf(held, request, primaryKey, header)
  return {
    objects: records,
    bytes: bytes - tail.length,
    cursor: { version: note.version, after, header, objects: records },
  }
}

const CHUNK_BYTES = 1024 * 1024

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large for the file system',
  ENOENT: 'the folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
}

/** Returns a function that throws why a file cannot be written, in one line. */
function failToWrite(path: string): (error: unknown) => never {
  return (error) => {
    const { code = '', message } = error as NodeJS.ErrnoException
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    throw new RemediableError(`cannot write ${path}: ${REASONS[code] ?? message}`, {
      cause: error,
      remedy: isFull ? { do: 'resume' } : undefined,
    })
  }
}

interface ResumeNote {
  readonly request: NotedRequest
  readonly version: string
}

type NotedRequest = Readonly<Record<string, string | undefined>>

/** Returns everything that determines the bytes of an export. */
function noteOf({ connection }: Endpoints, request: ExportRequest): NotedRequest {
  const { ontology, objectType, format, where, select } = request
  const escapeFormulas = request.escapeFormulas ? 'true' : undefined
  const noted = { ontology, objectType, format, where, select, escapeFormulas }
  // The round trip through JSON removes undefined members, as in a note that was read.
  return JSON.parse(JSON.stringify({ url: connection.baseUrl, ...noted })) as NotedRequest
}

async function writeNote(path: string, note: ResumeNote): Promise<void> {
  await writeFile(path, `${JSON.stringify(note)}\n`).catch(failToWrite(path))
}

/** Reads the note of an earlier run; undefined if there is none. Throws if it is damaged. */
async function readNote(path: string): Promise<ResumeNote | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const note = parseNote(text)
  if (note === undefined) {
    const remedy = { do: 'startAgain' } as const
    throw new RemediableError(`cannot resume: ${path} is damaged`, { remedy })
  }
  return note
}

/** Returns undefined for an invalid note, such as the first half that a killed run has written. */
function parseNote(text: string): ResumeNote | undefined {
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

/** Lists the differences between the requests of two exports. */
function differences(left: NotedRequest, right: NotedRequest): string[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names]
    .filter((name) => left[name] !== right[name])
    .map((name) => `${name} was ${left[name] ?? 'not given'}, is ${right[name] ?? 'not given'}`)
}
