/** Validates responses against the `openapi.json` of the service. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Operation {
  readonly method: string
  readonly pattern: RegExp
  /** The number of parameters; a path with fewer is more specific. */
  readonly parameters: number
  readonly responses: ReadonlyMap<string, () => ValidateFunction>
  /** The documented headers in lower case, by status. */
  readonly headers: ReadonlyMap<string, ReadonlySet<string>>
}

type Responses = Readonly<
  Record<string, { readonly content?: object; readonly headers?: Readonly<Record<string, object>> }>
>

/** The headers with a meaning of ours, which must be documented where they are sent. */
const COMMON_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id']
const SUCCESS_HEADERS = [
  ...COMMON_HEADERS,
  'content-disposition',
  'etag',
  'idempotency-replayed',
  'location',
  'oqs-version',
  'server-timing',
]
const ERROR_HEADERS = [...COMMON_HEADERS, 'allow', 'retry-after', 'www-authenticate']

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Responses }>>>>
  readonly components: object
}

/** Returns the mistake of a response; undefined if it is valid or its path is not documented. */
export type ResponseCheck = (
  method: string,
  path: string,
  status: number,
  body: unknown,
  headers: { has(name: string): boolean },
) => string | undefined

/** Kept for all services of a process: the document does not depend on their settings. */
let sharedCheck: ResponseCheck | undefined

/** Returns the check of the responses of a running service. */
export async function checkOfService(url: string): Promise<ResponseCheck> {
  if (sharedCheck === undefined) {
    const response = await fetch(`${url}/openapi.json`)
    sharedCheck = responseCheck((await response.json()) as OpenApiDocument)
  }
  return sharedCheck
}

export function responseCheck(document: OpenApiDocument): ResponseCheck {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    code: { optimize: false },
  })
  ajv.addSchema({ $id: 'openapi', ...document })
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) =>
        operation(ajv, method, path, responses),
      ),
    )
    .sort((a, b) => a.parameters - b.parameters)

  return (method, path, status, body, headers) => {
    const found = operations.find(
      (one) => one.method === method.toLowerCase() && one.pattern.test(path),
    )
    if (found === undefined) return undefined
    const ofStatus = <Value>(values: ReadonlyMap<string, Value>) =>
      values.get(String(status)) ?? values.get(`${String(status)[0]}XX`)
    const validator = ofStatus(found.responses)
    if (validator === undefined) {
      return `${method} ${path} returns ${status}, which is not documented`
    }
    const undocumented = (status < 400 ? SUCCESS_HEADERS : ERROR_HEADERS).filter(
      (name) => headers.has(name) && !ofStatus(found.headers)?.has(name),
    )
    if (undocumented.length > 0) {
      return `${method} ${path} ${status} has headers that are not documented: ${undocumented}`
    }
    const validate = validator()
    if (validate(body)) return undefined
    return `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`
  }
}

/** Returns the statuses with a JSON body, which is what can be validated. */
function jsonStatuses(responses: Responses): string[] {
  return Object.keys(responses).filter(
    (status) => 'application/json' in (responses[status]?.content ?? {}),
  )
}

function operation(ajv: Ajv2020, method: string, path: string, documented: Responses): Operation {
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1')
  const responses = jsonStatuses(documented).map((status): [string, () => ValidateFunction] => {
    const where = `#/paths/${pointer}/${method}/responses/${status}/content/application~1json/schema`
    const schema = { $ref: `openapi${encodeURI(where)}` }
    // Compiled for the first response: all schemas together take longer than most tests. Ajv
    // returns what it has compiled for the same object before.
    return [status, () => ajv.compile(schema)]
  })
  return {
    method,
    pattern: new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/{[^}]+}/g, '[^/]+')}$`),
    parameters: path.split('{').length,
    responses: new Map(responses),
    headers: new Map(
      Object.entries(documented).map(([status, { headers = {} }]) => [
        status,
        new Set(Object.keys(headers).map((name) => name.toLowerCase())),
      ]),
    ),
  }
}
