import type { Connection, ServiceRequest } from '../connection.ts'

/**
 * Reads a page and checks its envelope: without `data`, or with a token that is not one, a caller
 * would take the page for the last one. The request must change nothing, so it can be repeated.
 */
export async function readPage<Result>(
  connection: Connection,
  request: Omit<ServiceRequest, 'isRepeatable'>,
): Promise<Result> {
  const body = await connection.send<unknown>({ ...request, isRepeatable: true })
  const { data, nextPageToken } = (body ?? {}) as { data?: unknown; nextPageToken?: unknown }
  if (!Array.isArray(data)) throw connection.invalidResponse('returned a page without data')
  if (nextPageToken === null) {
    const { nextPageToken: _, ...page } = body as object & { nextPageToken: null }
    return page as Result
  }
  if (nextPageToken !== undefined && (typeof nextPageToken !== 'string' || nextPageToken === '')) {
    throw connection.invalidResponse('returned a page with an invalid nextPageToken')
  }
  return body as Result
}
