/** How an error looks on the wire [7.2]: status, headers and body. */
import { ERRORS } from '../../contract/error-catalogue.ts'
import { type ErrorBody, type ObjectQueryError, statusOf } from '../../contract/errors.ts'

export interface RenderedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function renderError(error: ObjectQueryError, errorInstanceId: string): RenderedError {
  const status = statusOf(error.errorName)
  const body = errorBody(error, errorInstanceId)
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...statusHeaders(status, error.parameters),
    },
    body,
  }
}

/** Returns the JSON body of an error. */
export function errorBody(
  { errorName, parameters }: ObjectQueryError,
  errorInstanceId: string,
): string {
  const body: ErrorBody = {
    errorCode: ERRORS[errorName].errorCode,
    errorName,
    errorInstanceId,
    errorDescription: ERRORS[errorName].description,
    parameters: shortened(parameters) as ErrorBody['parameters'],
  }
  return JSON.stringify(body)
}

function statusHeaders(
  status: number,
  parameters: ErrorBody['parameters'],
): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  if (status === 405) return { allow: (parameters['allowed'] as string[]).join(', ') }
  if (status === 429 || status === 503) {
    return { 'retry-after': String(parameters['retryAfterSeconds'] ?? 1) }
  }
  return {}
}

/** Limits how much of a request an error repeats. A page token fits. */
const ECHO = { length: 1100, items: 100, depth: 5 } as const

function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return value.length > ECHO.length ? `${value.slice(0, ECHO.length)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === ECHO.depth) return '…'
  if (Array.isArray(value))
    return value.slice(0, ECHO.items).map((item) => shortened(item, depth + 1))
  const members = Object.entries(value).slice(0, ECHO.items)
  return Object.fromEntries(members.map(([name, part]) => [name, shortened(part, depth + 1)]))
}
