/** The one error class of the client: error responses, lost connections and invalid responses. */
import type { ErrorCode, ErrorName } from '../contract/error-catalogue.ts'

/** Failures that the client finds itself; `errorCode` is `CLIENT`. */
export type ClientErrorName =
  /** No connection could be made, or it broke before a response arrived. */
  | 'Client:Unreachable'
  /** The connection broke in the middle of a response. */
  | 'Client:ConnectionLost'
  /** The response is not one of an object query service, or a part of it is missing. */
  | 'Client:InvalidResponse'
  /** A walk received a page token for the second time. */
  | 'Client:PageTokenRepeated'
  /** An export ended without its last line, or with another number of objects. */
  | 'Client:ExportIncomplete'

/** How far a walk had come when it failed. */
export interface WalkProgress {
  readonly pages: number
  readonly objects: number
  /** The last object that was handed out. */
  readonly lastObject: object | undefined
}

export interface OqsErrorOptions {
  readonly statusCode?: number | undefined
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number | undefined
  readonly message?: string
  readonly cause?: unknown
}

/** Any text is a valid name; the known ones are suggested by editors. */
type OpenEnded<Known extends string> = Known | (string & {})

export class OqsError extends Error {
  override readonly name = 'OqsError'
  readonly errorName: OpenEnded<ErrorName | ClientErrorName>
  readonly errorCode: OpenEnded<ErrorCode | 'CLIENT'>
  /** The status of the response; undefined if there was none. */
  readonly statusCode: number | undefined
  /** What the service says about the error; undefined if the client found it. */
  readonly errorDescription: string | undefined
  /** The id of the request in the log of the service. */
  readonly errorInstanceId: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  /** Whether the failure may be temporary: 429, 503 or a connection error. */
  readonly isRetryable: boolean
  /** The pause before a retry that the service requested. */
  readonly retryAfterMs: number | undefined
  /** Set on an error that ended a walk. */
  walk: WalkProgress | undefined
  readonly #body: ErrorBody

  constructor(body: ErrorBody, options: OqsErrorOptions = {}) {
    super(options.message ?? describeError(options.statusCode, body), { cause: options.cause })
    this.errorName = body.errorName
    this.errorCode = body.errorCode ?? 'CLIENT'
    this.errorDescription = body.errorDescription
    this.errorInstanceId = body.errorInstanceId
    this.parameters = body.parameters ?? {}
    this.statusCode = options.statusCode
    this.isRetryable = options.isRetryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.walk = undefined
    this.#body = body
  }

  /** Describes the error in one line, without some of its parameters. */
  describe(omitted: readonly string[]): string {
    return describeError(this.statusCode, this.#body, omitted)
  }
}

/** Creates the error for a failure that the client found. */
export function clientError(
  errorName: ClientErrorName,
  message: string,
  options: Omit<OqsErrorOptions, 'message'> = {},
): OqsError {
  return new OqsError({ errorName }, { ...options, message })
}

export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof (body as Partial<ErrorBody> | null)?.errorName === 'string'
}

/** True if a page token is too old: it expired, or its snapshot was reclaimed. */
export function isExpired(error: unknown): error is OqsError {
  return ['expired', 'reclaimed'].includes(tokenRefusal(error) ?? '')
}

/** Returns why the service has rejected a token; undefined if the error is another one. */
export function tokenRefusal(error: unknown): string | undefined {
  if (!(error instanceof OqsError)) return undefined
  if (error.errorName === 'ConsistentSnapshotError') return 'reclaimed'
  return error.errorName === 'InvalidPageToken' ? String(error.parameters['reason']) : undefined
}

/**
 * Returns the tokens with which a walk can go on whose page token is too old: within its snapshot,
 * or as of now.
 */
export function nextTokensOf(error: unknown): NextTokens {
  if (!isExpired(error)) return {}
  const { snapshotToken, continueToken } = error.parameters
  return {
    ...(typeof snapshotToken === 'string' && { snapshotToken }),
    ...(typeof continueToken === 'string' && { continueToken }),
  }
}

export interface NextTokens {
  readonly snapshotToken?: string
  readonly continueToken?: string
}

/** The members of an error response that the client uses. */
interface ErrorBody {
  readonly errorName: string
  readonly errorCode?: string
  readonly errorInstanceId?: string
  readonly errorDescription?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** Parameters that are too long for a message and not readable. */
const OMITTED_PARAMETERS = ['pageToken', 'snapshotToken', 'continueToken']
const MAX_VALUE_LENGTH = 200
const MAX_LIST_LENGTH = 10

function describeError(
  status: number | undefined,
  body: ErrorBody,
  /** Parameters to leave out. */
  omitted: readonly string[] = [],
): string {
  const { errorName, errorDescription = '', errorInstanceId, parameters = {} } = body
  const known = (status ?? 0) >= 500 ? { ...parameters, errorInstanceId } : parameters
  const details = Object.entries(known)
    .filter(
      ([name, value]) =>
        !OMITTED_PARAMETERS.includes(name) && !omitted.includes(name) && !isEmpty(value),
    )
    .map(([name, value]) => `${name} ${describeValue(value)}`)
  const tail = details.length === 0 ? '' : ` (${details.join('; ')})`
  return `${errorName}: ${errorDescription}${tail}`
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function describeValue(value: unknown): string {
  const items = Array.isArray(value) ? value : [value]
  const described = items.slice(0, MAX_LIST_LENGTH).map((item) => describeItem(item))
  const rest = items.length - described.length
  return described.join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}

/** Joins the members of an object, such as the path and the reason of a mistake. */
export function describeItem(item: unknown, maxLength = MAX_VALUE_LENGTH): string {
  const text =
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.values(item)
          .map((member) => describeItem(member, maxLength))
          .join(' ')
      : typeof item === 'string'
        ? item
        : JSON.stringify(item)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
