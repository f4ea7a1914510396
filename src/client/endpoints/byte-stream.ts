/** Streams of bytes: exports. */
import type { LineFormat } from '../../contract/export-formats.ts'
import type { CallOptions, Connection, ServiceRequest } from '../connection.ts'

export interface ExportOptions extends CallOptions {
  readonly format: LineFormat
  /** A query of revision 1.0, as JSON. */
  readonly where?: string | undefined
  /** Properties to export, comma-separated. */
  readonly select?: string | undefined
  /** Whether texts of CSV have an apostrophe where a spreadsheet would run a formula. */
  readonly escapeFormulas?: boolean | undefined
  /** Whether NDJSON begins with a line that states the digits of its decimals. */
  readonly decimalDigits?: boolean | undefined
  /** To resume: the version, the last primary key received, and the number of objects received. */
  readonly version?: string | undefined
  /** Whether to resume as of now, because the version is gone. */
  readonly newest?: boolean | undefined
  readonly after?: string | undefined
  readonly received?: number | undefined
  /** A page token of `sliceObjects`, to export a slice; it has the version. */
  readonly slice?: string | undefined
}

export interface ExportStream {
  /** The version of the object type that is exported. */
  readonly version: string
  readonly chunks: AsyncIterable<Uint8Array>
}

export async function openStream(
  connection: Connection,
  request: ServiceRequest,
): Promise<ExportStream> {
  const response = await connection.stream(request)
  const version = response.headers.get('oqs-version')
  if (version === null || response.body === null) {
    throw connection.invalidResponse('did not return an export')
  }
  return { version, chunks: chunksOf(connection, response.body, request.signal) }
}

/** Reads with a reader: not every browser can iterate over a stream. */
async function* chunksOf(
  connection: Connection,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw connection.lost(error, connection.signalFor(signal))
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
