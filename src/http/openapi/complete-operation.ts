/** Completes the operations of `openapi.json`: examples, and what each response means. */
import { DEMO_PATH, EXAMPLES } from './examples.ts'
import { type Schema, sampleOf } from './sample-response.ts'

/** An operation of the document. */
export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly parameters?: Parameter[]
  readonly requestBody?: { readonly content: Media }
  readonly responses?: Readonly<Record<string, Response>>
}

interface Parameter {
  readonly name: string
  readonly in?: string
  example?: unknown
}

interface Response {
  description?: string
  headers?: Record<string, object>
  readonly content?: Media
}

type Media = Record<string, { schema?: Schema; example?: unknown }>

/** Adds the example of an operation to its parameters, its request body and its response. */
export function addExamples(
  operation: Operation,
  components: Readonly<Record<string, Schema>>,
): void {
  const { parameters = [], request, response } = EXAMPLES[operation.operationId ?? ''] ?? {}
  for (const parameter of operation.parameters ?? []) {
    const { name } = parameter
    const given = (parameters as Readonly<Record<string, unknown>>)[name]
    const value = given ?? (parameter.in === 'path' ? DEMO_PATH[name] : undefined)
    if (value !== undefined) parameter.example = value
  }
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
    media.example = request
    if (type === 'application/octet-stream') media.schema = { ...media.schema, format: 'binary' }
  }
  for (const media of Object.values(operation.responses?.['200']?.content ?? {})) {
    media.example = response ?? sampleOf(media.schema ?? {}, components)
  }
}

const NO_DESCRIPTION = 'Default Response'

const OTHER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  '201': 'The object was created.',
  '202': 'A background change was started.',
  '4XX': 'The request was rejected. `errorName` and `parameters` say why.',
  '5XX': 'The service could not answer. After 503 and 504, send the request again later.',
}

/** What the success of an operation returns, if its summary does not say it. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  healthz: 'The process is alive.',
  readyz: 'The store can be reached.',
  getToken: 'The access token, and a refresh token if the grant has one.',
  revokeToken: 'The token is revoked, or was not valid.',
  createSession: 'The browser has a cookie.',
  createSessionCode: 'The code, which works once.',
  endSession: 'The session has ended, or the token is revoked.',
  applyOntology: 'The stored definition with all RIDs; with `dryRun`, the plan of the change.',
  deleteOntology: 'What was deleted.',
  deleteObjectType: 'What was deleted.',
  cancelOntologyChange: 'The change, which has ended.',
  startReplacement: 'The replacement, to which batches can be added.',
  publishReplacement: 'The commit. A repeated request returns the same.',
  abandonReplacement: 'The replacement and its objects are deleted.',
  writeObjects: 'The commit; with `dryRun`, what it would be.',
  applyTransactions: 'The position up to which everything is committed.',
  reportSource: 'The report as it was saved.',
  deleteSourceReport: 'Whether there was a report.',
  deleteByQuery: 'The commit.',
  putObject: 'The object was replaced, or was the same already.',
  patchObject: 'The object was changed.',
  deleteObject: 'The object was deleted.',
  exportObjects: 'All objects of one version.',
  createDownload: 'The path of the download, which works once.',
  download: 'All objects of one version, as a file.',
  createApiToken: 'The token with its secret, which is shown once.',
  revokeApiToken: 'The token is revoked.',
  createClient: 'The client with its secret, which is shown once.',
  revokeClient: 'The client and its tokens are revoked.',
  createSavedView: 'The view as it was saved.',
  replaceSavedView: 'The view as it was saved.',
  deleteSavedView: 'The view as it was before.',
  savePolicy: 'The policy as it was saved.',
  deletePolicy: 'The name of the deleted policy.',
  applyAction: 'The action was applied.',
  applyActionBatch: 'All actions were applied, as one commit.',
  validateAction: 'Whether the action would be applied, and why not.',
  applyActionV2: 'The action was applied, or validated.',
  applyActionBatchV2: 'All actions were applied, as one commit.',
  countObjects: 'The number of objects.',
  searchObjectChangesV2: 'A page of changes.',
  sliceObjects: 'The first page token of each slice.',
  loadLinks: 'A page of objects of the set, each with the objects that it is linked to.',
  createTemporaryObjectSet: 'The RID of the object set, which is valid for one hour.',
}

/** Reads the description of a success from a summary such as `Get an object (v2)`. */
function describeSuccess({ operationId = '', summary = '' }: Operation, isPage: boolean): string {
  const [, verb = '', what = ''] = /^(\w+) (?:an? |the )?(.*?)(?: \([^)]*\))?$/.exec(summary) ?? []
  const described = {
    Get: `The ${what}.`,
    List: isPage ? `A page of ${what}.` : `The ${what}.`,
    Load: `A page of the ${what}.`,
    Search: 'A page of objects that match.',
    Aggregate: 'The metrics of each group.',
  }[verb]
  return DESCRIPTIONS[operationId] ?? described ?? ''
}

const header = (description: string, type: 'integer' | 'string' = 'string') => ({
  description,
  schema: { type },
})

/** The headers of responses, as components. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request as the log and the audit log do, and `errorInstanceId`.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': header(
    'How many requests the caller may send per minute. Absent if there is no limit.',
    'integer',
  ),
  'RateLimit-Remaining': header('How many requests the caller may send now.', 'integer'),
  'RateLimit-Reset': header(
    'After how many seconds without requests the caller may send all of them again.',
    'integer',
  ),
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

const EVERYWHERE: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]

/** Writes that return the tag of what they have written. */
const TAGGED_WRITES = [
  'applyOntology',
  'createSavedView',
  'patchObject',
  'putObject',
  'replaceSavedView',
  'savePolicy',
]
const UNTIMED_TAGS = ['Agents', 'OAuth', 'Operation']

/** Reading one object type names its version; reading several does not. */
const VERSIONED = /^(?:list|search|get|load|count|aggregate|export|download).*Object/

/** Adds descriptions and headers to the responses of an operation. */
export function describeResponses(operation: Operation): void {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if (response.description === NO_DESCRIPTION || /^[45]/.test(status)) {
      const [media] = Object.values(response.content ?? {})
      const isPage = media?.schema?.properties?.['nextPageToken'] !== undefined
      response.description = OTHER_DESCRIPTIONS[status] ?? describeSuccess(operation, isPage)
    }
    const described = [...EVERYWHERE, ...headersOf(operation, status)].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ])
    response.headers = { ...response.headers, ...Object.fromEntries(described) }
  }
}

function headersOf(operation: Operation, status: string): HeaderName[] {
  const { operationId = '', tags = [], parameters = [], responses = {} } = operation
  if (status === '4XX') return ['Retry-After', 'WWW-Authenticate', 'Allow']
  if (status === '5XX') return ['Retry-After']
  if (status === '202') return ['Location', 'Server-Timing', 'Idempotency-Replayed']
  const isRepeatable = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  const given: Readonly<Partial<Record<HeaderName, boolean>>> = {
    ETag: '304' in responses || TAGGED_WRITES.includes(operationId),
    'oqs-version': VERSIONED.test(operationId),
    'Server-Timing': !tags.some((tag) => UNTIMED_TAGS.includes(tag)),
    'Content-Disposition': operationId === 'download',
    'Idempotency-Replayed': isRepeatable,
  }
  return (Object.keys(given) as HeaderName[]).filter((name) => given[name])
}
