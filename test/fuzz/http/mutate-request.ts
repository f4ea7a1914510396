/** Changes a request: its method, path, query, headers, body or framing. */
import { METHODS } from 'node:http'
import { mutateBytes } from '../mutate-bytes.ts'
import type { Random } from '../random.ts'
import {
  bodyOf,
  type FuzzRequest,
  headerOf,
  MALFORMED_FRAMINGS,
  withBody,
  withHeader,
} from './fuzz-request.ts'
import { mutateJson } from './mutate-json.ts'
import {
  INVALID_JSON,
  ODD_AUTHORIZATIONS,
  ODD_CONTENT_TYPES,
  ODD_HEADERS,
  ODD_NUMBERS,
  ODD_SEGMENTS,
  ODD_TEXTS,
} from './odd-values.ts'

type Mutation = (request: FuzzRequest, random: Random) => FuzzRequest

/** How often each mutation is chosen, relative to the others. */
const MUTATIONS: readonly (readonly [weight: number, mutate: Mutation])[] = [
  [10, changeBody],
  [4, changeQuery],
  [3, changePath],
  [2, changeHeader],
  [1, changeContentType],
  [1, changeMethod],
  [1, changeAuthorization],
  [1, changeFraming],
  [1, changePageToken],
]
const CHOICES = MUTATIONS.flatMap(([weight, mutate]) => Array<Mutation>(weight).fill(mutate))

/** Applies none to three mutations. */
export function mutateRequest(request: FuzzRequest, random: Random): FuzzRequest {
  let mutated = request
  for (let count = random.pick([0, 1, 1, 1, 2, 3]); count > 0; count -= 1) {
    mutated = random.pick(CHOICES)(mutated, random)
  }
  return mutated
}

function changeBody(request: FuzzRequest, random: Random): FuzzRequest {
  const bytes = bodyOf(request)
  if (bytes === undefined) {
    return random.chance(0.2)
      ? withBody(request, random.pick(INVALID_JSON))
      : changeQuery(request, random)
  }
  if (random.chance(0.15)) return withBody(request, random.pick(INVALID_JSON))
  if (random.chance(0.15)) return withBody(request, mutateBytes(bytes, random))
  if (headerOf(request, 'content-type')?.includes('ndjson') === true) {
    return withBody(request, changeLine(bytes.toString(), random))
  }
  const value = parseJson(bytes.toString())
  if (value === undefined) return withBody(request, mutateBytes(bytes, random))
  return withBody(request, mutateJson(value, random))
}

function changeLine(body: string, random: Random): string {
  const lines = body.split('\n')
  const at = random.below(lines.length)
  const value = parseJson(lines[at] ?? '')
  lines[at] = value === undefined ? random.pick(INVALID_JSON) : mutateJson(value, random)
  return lines.join(random.pick(['\n', '\r\n', '\n\n', '\r']))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function changeQuery(request: FuzzRequest, random: Random): FuzzRequest {
  const [path = '', query = ''] = splitTarget(request.target)
  const pairs = query === '' ? [] : query.split('&')
  const odd = random.chance(0.5)
    ? encodeOdd(random.pick(ODD_TEXTS))
    : String(random.pick(ODD_NUMBERS))
  const at = random.below(pairs.length + 1)
  const [name = ''] = (pairs[at] ?? random.pick(QUERY_NAMES)).split('=')
  switch (random.below(5)) {
    case 0:
      pairs.splice(at, 1)
      break
    case 1:
      pairs.push(pairs[at] ?? 'x')
      break
    case 2:
      pairs.push(`${random.pick(QUERY_NAMES)}=${odd}`)
      break
    case 3:
      pairs[at] = `${name}=${random.pick(ODD_SEGMENTS)}`
      break
    default:
      pairs[at] = `${name}=${odd}`
  }
  return { ...request, target: pairs.length === 0 ? path : `${path}?${pairs.join('&')}` }
}

const QUERY_NAMES = [
  'pageSize',
  'pageToken',
  'snapshot',
  'orderBy',
  'select',
  'properties',
  'properties.name.eq',
  'p.name.lt',
  'preview',
  'dryRun',
  'mode',
  'where',
  'after',
  'version',
  'x',
  '__proto__',
  '',
]

function changePath(request: FuzzRequest, random: Random): FuzzRequest {
  const [path = '', query] = splitTarget(request.target)
  const segments = path.split('/')
  const at = 1 + random.below(Math.max(1, segments.length - 1))
  const odd = random.chance(0.7)
    ? random.pick(ODD_SEGMENTS)
    : encodeOdd(random.pick(ODD_TEXTS)).slice(0, 6000)
  switch (random.below(4)) {
    case 0:
      segments.splice(at, 1)
      break
    case 1:
      segments.splice(at, 0, odd)
      break
    default:
      segments[at] = odd
  }
  const changed = segments.join('/')
  return { ...request, target: query === undefined ? changed : `${changed}?${query}` }
}

function splitTarget(target: string): [path: string, query: string | undefined] {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, undefined] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** Percent-encodes a text, which may contain lone surrogates. */
function encodeOdd(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('')
    .slice(0, 9000)
}

function changeHeader(request: FuzzRequest, random: Random): FuzzRequest {
  const header = random.pick(ODD_HEADERS)
  return { ...request, headers: [...request.headers, header] }
}

function changeContentType(request: FuzzRequest, random: Random): FuzzRequest {
  return withHeader(request, 'content-type', random.pick(ODD_CONTENT_TYPES))
}

function changeMethod(request: FuzzRequest, random: Random): FuzzRequest {
  // Node answers CONNECT without a path, so no operation can be found for it.
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  return { ...request, method: random.chance(0.5) ? random.pick(COMMON) : random.pick(methods) }
}

const COMMON = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function changeAuthorization(request: FuzzRequest, random: Random): FuzzRequest {
  const value = random.chance(0.3) ? 'Bearer {{reader}}' : random.pick(ODD_AUTHORIZATIONS)
  return withHeader(request, 'authorization', value)
}

function changeFraming(request: FuzzRequest, random: Random): FuzzRequest {
  const framing = random.chance(0.4) ? 'chunked' : random.pick(MALFORMED_FRAMINGS)
  return { ...request, framing }
}

/** Sends the token of another walk, or of a walk that has ended, in the query or in the body. */
function changePageToken(request: FuzzRequest, random: Random): FuzzRequest {
  const token = random.pick(PAGE_TOKENS)
  const value = parseJson(request.body ?? '')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return withBody(request, JSON.stringify({ ...value, pageToken: token }))
  }
  const joint = request.target.includes('?') ? '&' : '?'
  return { ...request, target: `${request.target}${joint}pageToken=${token}` }
}

const PAGE_TOKENS = [
  '{{page:listObjects}}',
  '{{page:searchObjects}}',
  '{{page:listObjectsV2}}',
  '{{page:listObjectTypes}}',
  '{{page:listObjects}}A',
  'v1.AAAA',
]
