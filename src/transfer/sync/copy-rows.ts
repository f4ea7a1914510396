/**
 * Reads rows as `COPY` sends them, in its text format: the server sends them without being asked for
 * each part, and values stay the texts that replication has, too.
 */
import type { Client } from 'pg'
import type { SourceRow } from './pgoutput.ts'

/** Rows that are read ahead; then the socket is paused. */
const QUEUE_ROWS = 5000

/** Yields all rows that have arrived since the last time. */
export async function* copyRows(
  client: Client,
  select: string,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceRow[]> {
  const { connection } = client
  let rows: SourceRow[] = []
  let isDone = false
  let wake = Promise.withResolvers<void>()
  const onRow = ({ chunk }: { readonly chunk: Buffer }) => {
    // Decoded at once: the driver uses the memory of the chunk again.
    rows.push(decodeRow(chunk))
    if (rows.length >= QUEUE_ROWS) connection.stream.pause()
    wake.resolve()
  }
  connection.on('copyData', onRow)
  const ended = client.query(`COPY (${select}) TO STDOUT`).finally(() => {
    isDone = true
    wake.resolve()
  })
  ended.catch(() => {})
  try {
    for (;;) {
      await wake.promise
      signal.throwIfAborted()
      wake = Promise.withResolvers()
      if (rows.length > 0) {
        const arrived = rows
        rows = []
        yield arrived
      }
      if (isDone && rows.length === 0) break
      if (isDone) wake.resolve()
      connection.stream.resume()
    }
    await ended
  } finally {
    connection.off('copyData', onRow)
    connection.stream.resume()
  }
}

const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Decodes a line: values between tabs, `\N` for null, and backslashes before some characters. */
export function decodeRow(line: Buffer): SourceRow {
  const text = line.toString('utf8', 0, line.length - 1)
  const values = text.split('\t')
  if (!text.includes('\\')) return values
  return values.map((value) => {
    if (value === '\\N') return null
    if (!value.includes('\\')) return value
    return value.replaceAll(/\\(.)/g, (_, character: string) => ESCAPED[character] ?? character)
  })
}
