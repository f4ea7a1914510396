/** What can go wrong between a client and the service, each in one line for people. */

/** The service answered with an error of its own. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: number
  readonly errorName: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** The pause that the service asked for before the next try. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, body: ErrorAnswer, retryAfterMs?: number) {
    super(describeError(status, body))
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.errorName = body.errorName
    this.parameters = body.parameters ?? {}
  }
}

/** The service cannot be reached, was lost midway, or is something else. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** Whether asking again may help. */
  readonly isLost: boolean

  constructor(message: string, { isLost, cause }: { isLost: boolean; cause?: unknown }) {
    super(message, { cause })
    this.isLost = isLost
  }
}

/** The body of an error, as far as a client relies on it. */
export interface ErrorAnswer {
  readonly errorName: string
  readonly errorInstanceId?: string
  readonly errorDescription?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

export function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return (
    typeof body === 'object' &&
    body !== null &&
    typeof (body as Partial<ErrorAnswer>).errorName === 'string'
  )
}

/** A value that says nothing to people, or is far too long for a line. */
const UNHELPFUL = ['pageToken']
const VALUE_LENGTH = 200
const LIST_LENGTH = 10

function describeError(status: number, body: ErrorAnswer): string {
  const { errorName, errorDescription = '', errorInstanceId, parameters = {} } = body
  const known = status >= 500 ? { ...parameters, errorInstanceId } : parameters
  const details = Object.entries(known)
    .filter(([name, value]) => !UNHELPFUL.includes(name) && !isEmpty(value))
    .map(([name, value]) => `${name} ${describeValue(value)}`)
  const tail = details.length === 0 ? '' : ` (${details.join('; ')})`
  return `${errorName}: ${errorDescription}${tail}`
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function describeValue(value: unknown): string {
  const items = Array.isArray(value) ? value : [value]
  const shown = items.slice(0, LIST_LENGTH).map(describeItem)
  const more = items.length > shown.length ? `, and ${items.length - shown.length} more` : ''
  return shown.join(', ') + more
}

/** A mistake has a path and a reason, which read well side by side. */
function describeItem(item: unknown): string {
  const text =
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.values(item).map(describeItem).join(' ')
      : typeof item === 'string'
        ? item
        : JSON.stringify(item)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text
}
