/** Errors of a client of the service, each with a message of one line. */

/** An error response of the service. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  readonly errorName: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** The pause before a retry that the service requested. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, body: ErrorBody, retryAfterMs?: number) {
    super(describeError(status, body))
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.errorName = body.errorName
    this.parameters = body.parameters ?? {}
  }
}

/** The service cannot be reached, the connection broke, or the peer is not this service. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** Whether the connection was lost, so that a retry may help. */
  readonly isLost: boolean

  constructor(message: string, { isLost, cause }: { isLost: boolean; cause?: unknown }) {
    super(message, { cause })
    this.isLost = isLost
  }
}

/** The members of an error response that the client uses. */
export interface ErrorBody {
  readonly errorName: string
  readonly errorInstanceId?: string
  readonly errorDescription?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' &&
    body !== null &&
    typeof (body as Partial<ErrorBody>).errorName === 'string'
  )
}

/** Parameters that are too long for a message and not readable. */
const OMITTED_PARAMETERS = ['pageToken']
const MAX_VALUE_LENGTH = 200
const MAX_LIST_LENGTH = 10

function describeError(status: number, body: ErrorBody): string {
  const { errorName, errorDescription = '', errorInstanceId, parameters = {} } = body
  const known = status >= 500 ? { ...parameters, errorInstanceId } : parameters
  const details = Object.entries(known)
    .filter(([name, value]) => !OMITTED_PARAMETERS.includes(name) && !isEmpty(value))
    .map(([name, value]) => `${name} ${describeValue(value)}`)
  const tail = details.length === 0 ? '' : ` (${details.join('; ')})`
  return `${errorName}: ${errorDescription}${tail}`
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function describeValue(value: unknown): string {
  const items = Array.isArray(value) ? value : [value]
  const described = items.slice(0, MAX_LIST_LENGTH).map(describeItem)
  const rest = items.length - described.length
  return described.join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}

/** Joins the members of an object, such as the path and the reason of a mistake. */
function describeItem(item: unknown): string {
  const text =
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.values(item).map(describeItem).join(' ')
      : typeof item === 'string'
        ? item
        : JSON.stringify(item)
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}
