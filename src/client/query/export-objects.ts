/** Reads an export as objects, and checks that it is complete. */
import { toJson } from '../connection.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { TypePath } from '../endpoints/pages.ts'
import { clientError, isErrorBody, OqsError } from '../oqs-error.ts'
import { isRetryable } from '../retry.ts'
import type { WireQuery } from './compile-where.ts'

export interface ExportQuery {
  readonly where: WireQuery | undefined
  readonly select: readonly string[] | undefined
  readonly signal: AbortSignal | undefined
}

/** Yields every object of one version; resumes behind the last one after a lost connection. */
export async function* exportObjects<Item>(
  { administration, connection, revision1 }: Endpoints,
  type: TypePath,
  { where, select, signal }: ExportQuery,
): AsyncGenerator<Item, void, undefined> {
  const key = await revision1.primaryKeyOf(type, { signal })
  const retryPolicy = connection.createRetryPolicy(signal)
  let version: string | undefined
  let after: string | undefined
  let received = 0
  for (;;) {
    try {
      const stream = await administration.openExport(type, {
        format: 'ndjson',
        where: where && toJson(where),
        select: select?.join(','),
        signal,
        ...(after === undefined ? {} : { version, after, received }),
      })
      version = stream.version
      for await (const line of linesOf(stream.chunks)) {
        const object = JSON.parse(line) as Readonly<Record<string, unknown>>
        if ('$error' in object) throw reportedError(object['$error'])
        if ('$end' in object) return checkEnd(object['$end'], received)
        received += 1
        after = String(object[key])
        retryPolicy.reset()
        yield object as Item
      }
      throw incomplete(`ended without its last line (objects received: ${received})`, true)
    } catch (error) {
      connection.signalFor(signal)?.throwIfAborted()
      if (!isRetryable(error)) throw error
      await retryPolicy.wait(error)
    }
  }
}

/** Yields complete lines only: a line that was cut is not an object. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

function checkEnd(end: unknown, received: number): void {
  const { count } = (end ?? {}) as { readonly count?: unknown }
  if (count === received) return
  throw incomplete(
    `ended with a wrong number of objects: ${count} (objects received: ${received})`,
    false,
  )
}

function reportedError(body: unknown): OqsError {
  const { errorName, message } = isErrorBody(body)
    ? new OqsError(body, { statusCode: 500 })
    : incomplete('failed', false)
  return incomplete(`was aborted by the service: ${message}`, errorName === 'ServiceUnavailable')
}

function incomplete(what: string, canResume: boolean): OqsError {
  return clientError('Client:ExportIncomplete', `the export ${what}.`, { isRetryable: canResume })
}
