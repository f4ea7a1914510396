/** Completes the responses of `openapi.json`: what each one means, and its headers. */
import { RESPONSE_DESCRIPTIONS } from './response-descriptions.ts'

/** An operation of the document, as far as its responses concern it. */
export interface DescribedOperation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly { readonly name: string }[]
  readonly responses?: Readonly<Record<string, DescribedResponse>>
}

interface DescribedResponse {
  description?: string
  headers?: Record<string, object>
}

const NO_DESCRIPTION = 'Default Response'

const OTHER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  '201': 'The object was created.',
  '202': 'A background change was started.',
  '4XX': 'The request was rejected. `errorName` and `parameters` say why.',
  '5XX': 'The service could not answer. After 503 and 504, send the request again later.',
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })

const HEADERS = {
  ETag: header('The entity tag, for `If-None-Match` and `If-Match`.'),
  'oqs-version': header('The version of the object type that was read.', 'integer'),
  'Server-Timing': header('How long the service, and the store within it, took; in milliseconds.'),
  Location: header('The path of `getOntologyChange`, which returns the progress.'),
  'Idempotency-Replayed': header('`true` if the response is that of an earlier request.'),
  'Content-Disposition': header('The name of the file.'),
  'Retry-After': header('With 429 and 503: how many seconds to wait.', 'integer'),
  'WWW-Authenticate': header('With 401: the scheme, `Bearer`.'),
  Allow: header('With 405: the methods of the path.'),
} as const

type HeaderName = keyof typeof HEADERS

/** Writes that return the tag of what they have written. */
const TAGGED_WRITES: ReadonlySet<string> = new Set([
  'applyOntology',
  'patchObject',
  'putObject',
  'savePolicy',
])

const UNTIMED_TAGS: ReadonlySet<string> = new Set(['OAuth', 'Operation'])

/** Reading one object type names its version; reading several does not. */
const VERSIONED = /^(?:list|search|get|load|count|aggregate|export|download).*Object/

/** Adds descriptions and headers to the responses of an operation. */
export function describeResponses(operation: DescribedOperation): void {
  const { operationId = '', responses = {} } = operation
  for (const [status, response] of Object.entries(responses)) {
    if (response.description === NO_DESCRIPTION || /^[45]/.test(status)) {
      response.description = OTHER_DESCRIPTIONS[status] ?? RESPONSE_DESCRIPTIONS[operationId] ?? ''
    }
    const names = headersOf(operation, status)
    if (names.length > 0) {
      const described = names.map((name) => [name, HEADERS[name]])
      response.headers = { ...response.headers, ...Object.fromEntries(described) }
    }
  }
}

function headersOf(operation: DescribedOperation, status: string): HeaderName[] {
  const { operationId = '', tags = [], parameters = [], responses = {} } = operation
  if (status === '4XX') return ['Retry-After', 'WWW-Authenticate', 'Allow']
  if (status === '5XX') return ['Retry-After']
  if (status === '202') return ['Location', 'Server-Timing', 'Idempotency-Replayed']
  const isRepeatable = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  const given: Readonly<Partial<Record<HeaderName, boolean>>> = {
    ETag: '304' in responses || TAGGED_WRITES.has(operationId),
    'oqs-version': VERSIONED.test(operationId),
    'Server-Timing': !tags.some((tag) => UNTIMED_TAGS.has(tag)),
    'Content-Disposition': operationId === 'download',
    'Idempotency-Replayed': isRepeatable,
  }
  return (Object.keys(given) as HeaderName[]).filter((name) => given[name])
}
