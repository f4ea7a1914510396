import { mayPass } from '../../client/retry.ts'
import type { ServiceClient, TypePath } from '../../client/service-client.ts'
import { ConnectionError, isErrorAnswer, ServiceError } from '../../client/service-error.ts'
import type { ExportFormat } from '../../contract/export-formats.ts'
import { readCsvRecord } from '../../formats/csv/csv-cells.ts'
import { type ExportEnd, readExportEnd } from '../../formats/export-end.ts'
import { ExportScanner } from './export-scanner.ts'

/**
 * Reads one snapshot of an object type to its end. A lost connection is taken up where it broke, so
 * that what comes out is the same as if it had never been lost; an export that did not come to its
 * end line, or whose count differs, never counts as complete.
 */

export interface ExportRequest extends TypePath {
  readonly format: ExportFormat
  /** The JSON of a query of revision 1.0. */
  readonly where?: string | undefined
  /** Properties to show, comma separated. */
  readonly select?: string | undefined
}

/** Where an export stands: everything up to this object has been written. */
export interface ExportPoint {
  readonly version: string
  /** Primary key of the last object, as text. */
  readonly after: string
  /** The line with the names of the columns, in CSV. */
  readonly header: Buffer | undefined
  /** How many objects that is. */
  readonly objects: number
}

export interface ExportProgress {
  /** All objects of the export so far, those before the point it started from included. */
  readonly objects: number
  /** What this run has written. */
  readonly bytes: number
}

export interface ExportSink {
  /** Before the first byte: the version that is being exported. */
  begin(version: string): Promise<void>
  /** Resolves when more can be taken. */
  write(bytes: Uint8Array): Promise<void>
}

export interface ExportOptions {
  /** Go on from here. */
  readonly from?: ExportPoint | undefined
  readonly onProgress?: (progress: ExportProgress) => void
}

export async function exportObjects(
  client: ServiceClient,
  request: ExportRequest,
  sink: ExportSink,
  { from, onProgress = () => {} }: ExportOptions = {},
): Promise<ExportProgress> {
  const primaryKey = await client.primaryKeyOf(request)
  const patience = client.connection.patience()
  let point = from
  let bytes = 0
  const write = async (chunk: Uint8Array) => {
    await sink.write(chunk)
    bytes += chunk.length
  }

  for (;;) {
    const scanner = new ExportScanner(request.format, { goesOn: point !== undefined })
    const before = point?.objects ?? 0
    let version: string | undefined
    let loss: ConnectionError | ServiceError | undefined
    try {
      const stream = await client.openExport(request, wishOf(request, point))
      version = stream.version
      if (point === undefined) await sink.begin(version)
      for await (const chunk of stream.chunks) {
        for (const released of scanner.push(chunk)) await write(released)
        if (scanner.records > 0) patience.renew()
        onProgress({ objects: before + scanner.records, bytes })
      }
    } catch (error) {
      if (!mayPass(error)) throw error
      loss = error
    }
    const { end, last, lastIsWritten, records } = lastRecord(scanner, request.format)
    if (end?.kind === 'complete') {
      const objects = before + records
      refuseDamage(end, objects, version)
      onProgress({ objects, bytes })
      return { objects, bytes }
    }
    const failure =
      end === undefined ? (loss ?? brokenOff(client.connection.url)) : brokenOffBy(end.error)
    if (!mayPass(failure)) throw failure
    if (version !== undefined && last !== undefined && records > 0) {
      if (!lastIsWritten) await write(last)
      const header = scanner.header ?? point?.header
      const after = keyOf(last, request.format, primaryKey, header)
      point = { version, after, header, objects: before + records }
    } else if (bytes > 0 && point === undefined) {
      // A header without objects has gone out, and cannot be taken back.
      throw failure
    }
    await patience.wait(failure)
  }
}

function wishOf({ format, where, select }: ExportRequest, point: ExportPoint | undefined) {
  const { version, after, objects: received, header } = point ?? {}
  // The definition may have got more properties since; the columns stay those of the header.
  const columns =
    header === undefined ? select : readCsvRecord(header.toString('utf8'), ',').join(',')
  return { format, where, select: columns, version, after, received }
}

/** The primary key of a record, as the service wants to hear it. */
export function keyOf(
  record: Buffer,
  format: ExportFormat,
  primaryKey: string,
  header: Buffer | undefined,
): string {
  const key = valueIn(record.toString('utf8'), format, primaryKey, header?.toString('utf8') ?? '')
  if (key === undefined || key === null || typeof key === 'object') {
    throw new Error(`the last object of the export has no ${primaryKey}, after which to go on`)
  }
  return String(key)
}

function valueIn(record: string, format: ExportFormat, name: string, header: string): unknown {
  if (format === 'csv') return readCsvRecord(record, ',')[readCsvRecord(header, ',').indexOf(name)]
  try {
    return (JSON.parse(record) as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}

/** No such line is longer than this; an object may be much longer. */
const LONGEST_END = 64 * 1024

interface LastRecord {
  /** Undefined when the stream stopped without saying how it ended. */
  readonly end: ExportEnd | undefined
  readonly last: Buffer | undefined
  readonly lastIsWritten: boolean
  readonly records: number
}

/** The last whole object of a stream: the one before the line that tells how it ended. */
function lastRecord(scanner: ExportScanner, format: ExportFormat): LastRecord {
  const { held, previous, tail, records } = scanner
  if (tail.length === 0) {
    const end = readEnd(held, format)
    if (end !== undefined) return { end, last: previous, lastIsWritten: true, records: records - 1 }
  }
  // The line of a failure holds quotes, and in CSV an odd number of them looks like an open value.
  const failure = format === 'csv' && tail.at(-1) === NEWLINE ? readEnd(tail, format) : undefined
  return { end: failure, last: held, lastIsWritten: false, records }
}

const NEWLINE = 0x0a

function readEnd(line: Buffer | undefined, format: ExportFormat): ExportEnd | undefined {
  if (line === undefined || line.length > LONGEST_END) return undefined
  return readExportEnd(format, line.toString('utf8'))
}

/** Why the service did not finish. */
function brokenOffBy(body: unknown): ConnectionError {
  const error = isErrorAnswer(body) ? new ServiceError(500, body) : undefined
  return new ConnectionError(
    `the service broke the export off: ${error?.message ?? JSON.stringify(body)}`,
    { isLost: error?.errorName === 'ServiceUnavailable' },
  )
}

function brokenOff(url: string): ConnectionError {
  return new ConnectionError(`the export from ${url} broke off before its end`, { isLost: true })
}

/** What arrived must be what was sent. */
function refuseDamage(
  end: ExportEnd & { kind: 'complete' },
  received: number,
  version: string | undefined,
): void {
  if (end.count === received && end.version === version) return
  throw new ConnectionError(
    `the export is damaged: ${received} objects of version ${version} arrived, but its end line tells of ${end.count} of version ${end.version}`,
    { isLost: false },
  )
}
