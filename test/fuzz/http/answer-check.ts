/** Checks that an answer is declared in `openapi.json`, and that the service behaved as it must. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { responseCheck } from '../../support/openapi-check.ts'
import { type FuzzRequest, headerOf, isMalformed } from './fuzz-request.ts'
import {
  type OpenApiDocument,
  type Operation,
  operationFinder,
  operationsOf,
} from './openapi-operations.ts'
import type { Answer, NoAnswer } from './send-request.ts'

/** Returns the mistake of an answer; undefined if there is none. */
export type AnswerCheck = (request: FuzzRequest, answer: Answer | NoAnswer) => string | undefined

/** The name of the scheme is case-insensitive, and may be followed by several spaces (RFC 9110, 11.4). */
const KNOWN_TOKEN = /^bearer +\{\{(?:admin|reader)\}\}$/i
const ERROR_REFERENCE = 'openapi#/components/schemas/Error'

export function answerCheck(document: OpenApiDocument): AnswerCheck {
  const find = operationFinder(operationsOf(document))
  const checkBody = responseCheck(document)
  const isValidBody = bodyValidator(document)
  const isError = errorValidator(document)

  return (request, answer) => {
    if (typeof answer === 'string')
      return isMalformed(request) && answer !== 'no response in time' ? undefined : answer
    const { status, body } = answer
    if (status >= 500) return `status ${status}: ${body.toString().slice(0, 300)}`
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const [path = ''] = request.target.split('?')
    const operation = find(method, path)
    return (
      lengthMistake(request, answer) ??
      (operation === undefined || isRejectedByParser(answer)
        ? unknownMistake(request, answer)
        : declaredMistake(request, answer, operation, path)) ??
      (operation === undefined ? undefined : acceptedMistake(request, answer, operation))
    )
  }

  /** The HTTP parser and the router reject requests before an operation is known. */
  function isRejectedByParser({ status, body }: Answer): boolean {
    return status >= 400 && isError(parseJson(body.toString()))
  }

  function unknownMistake({ method }: FuzzRequest, answer: Answer): string | undefined {
    const { status, body } = answer
    if (status === 204 && method === 'OPTIONS') return undefined
    if (status < 400 && method !== 'OPTIONS') return undefined
    if (method === 'HEAD') return undefined
    return isError(parseJson(body.toString())) && contentType(answer) === 'application/json'
      ? undefined
      : `status ${status} without an error: ${body.toString().slice(0, 300)}`
  }

  function declaredMistake(
    { method }: FuzzRequest,
    answer: Answer,
    { id, method: ownMethod, responses }: Operation,
    path: string,
  ): string | undefined {
    const { status, body, headers } = answer
    const declared = responses.get(String(status)) ?? responses.get(`${String(status)[0]}XX`)
    if (declared === undefined) return `${id} does not declare status ${status}`
    if (method === 'HEAD' || declared.length === 0) {
      return body.length === 0 ? undefined : `status ${status} has a body`
    }
    const type = contentType(answer)
    if (!declared.includes(type)) return `${id} does not declare ${type} for status ${status}`
    if (type !== 'application/json') return undefined
    const value = parseJson(body.toString())
    if (value === undefined) return `the body is not JSON: ${body.toString().slice(0, 300)}`
    return checkBody(ownMethod, path, status, value, headers)
  }

  /** A request that breaks a rule of the document must not succeed. */
  function acceptedMistake(
    request: FuzzRequest,
    { status }: Answer,
    operation: Operation,
  ): string | undefined {
    if (status >= 400 || request.method === 'HEAD') return undefined
    const authorization = headerOf(request, 'authorization')
    if (operation.needsToken && !KNOWN_TOKEN.test(authorization ?? '')) {
      return `${operation.id} succeeded with the authorization ${authorization}`
    }
    return isValidBody(request, operation)
      ? undefined
      : `${operation.id} accepted a body that its schema forbids`
  }
}

function lengthMistake(
  { method }: FuzzRequest,
  { status, headers, body }: Answer,
): string | undefined {
  const length = headers.get('content-length')
  if (length === undefined || method === 'HEAD' || status === 304) return undefined
  return Number(length) === body.length
    ? undefined
    : `content-length is ${length}, but the body has ${body.length} bytes`
}

function contentType({ headers }: Answer): string {
  return (headers.get('content-type') ?? '').split(';')[0] ?? ''
}

function errorValidator(document: OpenApiDocument): ValidateFunction {
  return ajvOf(document).compile({ $ref: ERROR_REFERENCE })
}

function ajvOf(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  ajv.addSchema({ $id: 'openapi', ...document })
  return ajv
}

/** Returns whether the body of a request is valid by its schema; only JSON can be judged. */
function bodyValidator(
  document: OpenApiDocument,
): (request: FuzzRequest, operation: Operation) => boolean {
  const ajv = ajvOf(document)
  const validators = new Map<string, ValidateFunction>()
  return ({ body, framing = 'length' }, { id, method, path, bodies }) => {
    const kind = bodies.find(({ contentType }) => contentType === 'application/json')
    if (kind === undefined || body === undefined || framing !== 'length') return true
    const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1')
    const place = `#/paths/${pointer}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
    const validate = validators.get(id) ?? ajv.compile({ $ref: `openapi${encodeURI(place)}` })
    validators.set(id, validate)
    // A byte order mark is ignored (RFC 8259, 8.1).
    const value = parseJson(body.replace(/^\ufeff/, ''))
    return value !== undefined && (validate(value) || validate(withoutNulls(value)))
  }
}

/** Null stands for an absent member, also of a union whose other types have the member. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutNulls)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
