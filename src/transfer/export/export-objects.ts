/**
 * Reads one snapshot of an object type to its end. After a lost connection it resumes where the
 * stream broke, so the output is the same as without the loss. An export without its end line, or
 * with another count, is never reported as complete.
 */

import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { clientError, isErrorBody, nextTokensOf, OqsError } from '../../client/oqs-error.ts'
import { isRetryable } from '../../client/retry.ts'
import { countOf } from '../../contract/count-of.ts'
import type { LineFormat } from '../../contract/export-formats.ts'
import { readCsvRecord } from '../../formats/csv/csv-record.ts'
import { unescapeFormula } from '../../formats/csv/write-csv.ts'
import { type ExportEnd, readExportEnd } from '../../formats/export-end.ts'
import { RemediableError } from '../../formats/remedy.ts'
import { ExportScanner } from './export-scanner.ts'

export interface ExportRequest extends TypePath {
  readonly format: LineFormat
  /** A query of revision 1.0, as JSON. */
  readonly where?: string | undefined
  /** Properties to export, comma-separated. */
  readonly select?: string | undefined
  /** Whether texts of CSV have an apostrophe where a spreadsheet would run a formula. */
  readonly escapeFormulas?: boolean | undefined
  /** Whether NDJSON begins with a line that states the digits of its decimals. */
  readonly decimalDigits?: boolean | undefined
  /** A page token of a slice, to export only its objects. */
  readonly slice?: string | undefined
}

/** The position of an export: all objects up to this one are written. */
export interface ExportCursor {
  /** Undefined if the version is gone: the newest one follows. */
  readonly version: string | undefined
  /** The primary key of the last object, as text. */
  readonly after: string
  /** The first line, if it is no object. */
  readonly header: Buffer | undefined
  /** The number of objects written. */
  readonly objects: number
}

export interface ExportProgress {
  /** Objects exported so far, including those before a resumed run. */
  readonly objects: number
  /** Bytes written in this run. */
  readonly bytes: number
}

export interface ExportSink {
  /** Called before the first byte, with the version that is exported. */
  begin(version: string): Promise<void>
  /** Resolves when more bytes can be written. */
  write(bytes: Uint8Array): Promise<void>
}

export interface ExportOptions {
  /** The position to resume from. */
  readonly from?: ExportCursor | undefined
  readonly onProgress?: (progress: ExportProgress) => void
  /**
   * Called if the version is gone when the export resumes, with the number of objects written: those
   * that follow are of the newest version. Without it, the export ends with the error.
   */
  readonly onContinue?: ((objects: number) => void) | undefined
}

export async function exportObjects(
  { administration, connection, revision1 }: Endpoints,
  request: ExportRequest,
  sink: ExportSink,
  { from, onProgress = () => {}, onContinue }: ExportOptions = {},
): Promise<ExportProgress> {
  const primaryKey = await revision1.primaryKeyOf(request)
  const retryPolicy = connection.createRetryPolicy()
  let cursor = from
  let { slice } = request
  let bytes = 0
  const write = async (chunk: Uint8Array) => {
    await sink.write(chunk)
    bytes += chunk.length
  }

  for (;;) {
    const scanner = new ExportScanner(request.format, {
      isContinuation: cursor !== undefined,
      ...(request.decimalDigits && { hasHeader: true }),
    })
    const before = cursor?.objects ?? 0
    let version: string | undefined
    let loss: OqsError | undefined
    try {
      const options = toOptions({ ...request, slice }, cursor)
      const stream = await administration.openExport(request, options)
      version = stream.version
      if (cursor === undefined) await sink.begin(version)
      for await (const chunk of stream.chunks) {
        // Written at once: a write costs more than copying the few pieces together.
        const released = scanner.push(chunk)
        if (released.length > 0) await write(Buffer.concat(released))
        if (scanner.records > 0) retryPolicy.reset()
        onProgress({ objects: before + scanner.records, bytes })
      }
    } catch (error) {
      const { snapshotToken } = nextTokensOf(error)
      if (snapshotToken !== undefined && slice !== undefined) {
        slice = snapshotToken
        continue
      }
      if (isVersionGone(error) && cursor?.version !== undefined && onContinue !== undefined) {
        onContinue(cursor.objects)
        cursor = { ...cursor, version: undefined }
        continue
      }
      if (!isRetryable(error)) throw error
      loss = error
    }
    const { end, last, isLastWritten, records } = lastRecord(scanner, request.format)
    if (end?.kind === 'complete') {
      const objects = before + records
      checkEnd(end, objects, version)
      onProgress({ objects, bytes })
      return { objects, bytes }
    }
    const failure =
      end === undefined ? (loss ?? brokenOffError(connection.baseUrl)) : reportedError(end.error)
    if (!isRetryable(failure)) throw failure
    if (version !== undefined && last !== undefined && records > 0) {
      if (!isLastWritten) await write(last)
      const header = scanner.header ?? cursor?.header
      const after = keyOf(last, request, primaryKey, header)
      cursor = { version, after, header, objects: before + records }
    } else if (bytes > 0 && cursor === undefined) {
      // The header is already written, and a new export would write it again.
      throw failure
    }
    await retryPolicy.wait(failure)
  }
}

function isVersionGone(error: unknown): boolean {
  return error instanceof OqsError && error.errorName === 'VersionNotFound'
}

function toOptions(
  { format, where, select, slice, escapeFormulas, decimalDigits }: ExportRequest,
  cursor: ExportCursor | undefined,
) {
  const { version, after, objects: received, header } = cursor ?? {}
  // Selects the columns of the header, because the type may have new properties by now.
  const columns =
    header === undefined || format !== 'csv'
      ? select
      : readCsvRecord(header.toString('utf8'), ',').join(',')
  // The token of a slice has its version, and is for the selection that it was requested with.
  if (slice !== undefined) return { format, select, slice, escapeFormulas, after, received }
  const newest = cursor !== undefined && version === undefined ? true : undefined
  const marks = { escapeFormulas, decimalDigits }
  return { format, where, select: columns, ...marks, version, newest, after, received }
}

/** Returns the primary key of a record in the form that the service accepts. */
export function keyOf(
  record: Buffer,
  { format, escapeFormulas = false }: Pick<ExportRequest, 'format' | 'escapeFormulas'>,
  primaryKey: string,
  header: Buffer | undefined,
): string {
  const key = valueIn(record.toString('utf8'), format, primaryKey, header?.toString('utf8') ?? '')
  if (key === undefined || key === null || typeof key === 'object') {
    throw new RemediableError(`cannot resume: the last object of the export has no ${primaryKey}`, {
      remedy: { do: 'startAgain' },
    })
  }
  return escapeFormulas ? unescapeFormula(String(key)) : String(key)
}

function valueIn(record: string, format: LineFormat, name: string, header: string): unknown {
  if (format === 'csv') return readCsvRecord(record, ',')[readCsvRecord(header, ',').indexOf(name)]
  try {
    return (JSON.parse(record) as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}

/** The maximum length of an end line; an object may be longer. */
const MAX_END_LENGTH = 64 * 1024

interface LastRecord {
  /** Undefined if the stream broke off without an end line. */
  readonly end: ExportEnd | undefined
  readonly last: Buffer | undefined
  readonly isLastWritten: boolean
  readonly records: number
}

/** Finds the end line of a stream and the last complete object before it. */
function lastRecord(scanner: ExportScanner, format: LineFormat): LastRecord {
  const { held, previous, tail, records } = scanner
  if (tail.length === 0) {
    const end = readEnd(held, format)
    if (end !== undefined) return { end, last: previous, isLastWritten: true, records: records - 1 }
  }
  // In CSV, an end line with an odd number of quotes looks like an unfinished record.
  const failure = format === 'csv' && tail.at(-1) === NEWLINE ? readEnd(tail, format) : undefined
  return { end: failure, last: held, isLastWritten: false, records }
}

const NEWLINE = 0x0a

function readEnd(line: Buffer | undefined, format: LineFormat): ExportEnd | undefined {
  if (line === undefined || line.length > MAX_END_LENGTH) return undefined
  return readExportEnd(format, line.toString('utf8'))
}

/** Returns the error that the service wrote into the end line. */
function reportedError(body: unknown): OqsError {
  const error = isErrorBody(body) ? new OqsError(body, { statusCode: 500 }) : undefined
  return clientError(
    'Client:ExportIncomplete',
    `the service aborted the export: ${error?.message ?? JSON.stringify(body)}`,
    { isRetryable: error?.errorName === 'ServiceUnavailable' },
  )
}

function brokenOffError(url: string): OqsError {
  const message = `the export from ${url} ended before it was complete`
  return clientError('Client:ExportIncomplete', message, { isRetryable: true })
}

/** Throws if the received objects are not those that the end line announces. */
function checkEnd(
  end: ExportEnd & { kind: 'complete' },
  received: number,
  version: string | undefined,
): void {
  if (end.count === received && end.version === version) return
  throw clientError(
    'Client:ExportIncomplete',
    `the export is damaged: received ${countOf(received, 'object')} of version ${version}, but its end line says ${end.count} of version ${end.version}. Start a new export.`,
  )
}
