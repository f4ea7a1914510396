import {
  type CallOptions,
  type Connection,
  type IdempotentCallOptions,
  newIdempotencyKey,
  type ServiceRequest,
  type ServiceResponse,
} from '../connection.ts'

/** Endpoints that share a connection. */
export abstract class EndpointGroup {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  protected get<Result>(path: string, call?: CallOptions, query: object = {}): Promise<Result> {
    return this.connection.send({ ...call, path, query: { ...query } })
  }

  protected page<Page>(request: ServiceRequest, call?: CallOptions): Promise<Page> {
    return readPage(this.connection, { ...request, ...call })
  }

  /** The key lets the service recognise a repeated request, so it is applied once. */
  protected write<Result>(
    request: Omit<ServiceRequest, 'headers'>,
    { idempotencyKey = newIdempotencyKey(), ...call }: IdempotentCallOptions = {},
  ): Promise<Result> {
    const headers = { 'idempotency-key': idempotencyKey }
    return this.connection.send({ ...call, ...request, headers, isRepeatable: true })
  }
}

/** Reads a page and checks its envelope. The request must change nothing, so it can be repeated. */
export async function readPage<Page>(
  connection: Connection,
  request: ServiceRequest,
): Promise<Page> {
  return (await exchangePage<Page>(connection, request)).body
}

/**
 * Reads a page together with the response that it came in. Without `data`, or with a token that is
 * not one, a caller would take the page for the last one, so such a response is an error.
 */
export async function exchangePage<Page>(
  connection: Connection,
  request: ServiceRequest,
): Promise<ServiceResponse<Page>> {
  const response = await connection.exchange<Page>({ ...request, isRepeatable: true })
  const { body } = response
  const { data, nextPageToken } = (body ?? {}) as { data?: unknown; nextPageToken?: unknown }
  if (!Array.isArray(data)) throw connection.invalidResponse('returned a page without data')
  if (nextPageToken === null) {
    const { nextPageToken: _, ...page } = body as object & { nextPageToken: null }
    return { ...response, body: page as Page }
  }
  if (nextPageToken !== undefined && (typeof nextPageToken !== 'string' || nextPageToken === '')) {
    throw connection.invalidResponse('returned a page with an invalid nextPageToken')
  }
  return response
}
