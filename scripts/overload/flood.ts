/** Floods: what a caller sends on how many connections, or which requests it repeats in order. */
import {
  arrayBatch,
  batchPath,
  DEFINITION,
  LIST_PATH,
  ONTOLOGY,
  sinkBatch,
  WORST_QUERIES,
} from './dataset.ts'

export interface FloodOrder {
  readonly url: string
  readonly token: string
  readonly kinds: readonly FloodKind[]
  readonly batchBytes: number
  /** For measurements of other callers. The flood is weaker if the service uses all cores. */
  readonly usesIdleTimeOnly?: boolean
}

/** How often each status was received. */
export type FloodReport = Readonly<Record<string, number>>

interface FloodRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: Buffer
}

/** The same request again and again, on each of several connections. */
interface RepeatedRequest {
  readonly connections: number
  request(batchBytes: number, n: number): FloodRequest
  /** Sends many requests at once. */
  readonly isPipelined?: boolean
  readonly isStalled?: boolean
  readonly hangsUp?: boolean
  readonly hasUnknownToken?: boolean
}

/** Sends a request, and returns the body of the response. */
export type Send = (request: FloodRequest) => Promise<string>

/** Requests that depend on each other, again and again. */
export type FloodScript = (send: Send, batchBytes: number) => Promise<void>

const NDJSON = 'application/x-ndjson'
const ONTOLOGY_PATH = `/api/admin/v1/ontologies/${ONTOLOGY}`
/** A type that floods delete and define again. */
const DROPPED = {
  apiName: 'dropped',
  primaryKey: 'id',
  properties: { id: { type: 'string' }, text: { type: 'string' }, n: { type: 'integer' } },
} as const

const post = (path: string, type: string, body: Buffer): FloodRequest => ({
  method: 'POST',
  path,
  type,
  body,
})
const postJson = (path: string, body: object) =>
  post(path, 'application/json', Buffer.from(JSON.stringify(body)))
const postBatch = (type: string, batchBytes: number) =>
  post(batchPath(type), NDJSON, sinkBatch(batchBytes))
const largePage = () => ({ method: 'GET', path: `${LIST_PATH}?pageSize=1000` })
const worstQuery = (_: number, n: number) => {
  const [path, query] = WORST_QUERIES[n % WORST_QUERIES.length] ?? ['', {}]
  return postJson(path, query)
}
const batch = (batchBytes: number) => postBatch('sink', batchBytes)
const arrays = (content: Parameters<typeof arrayBatch>[0]): RepeatedRequest => ({
  connections: 1,
  request: (batchBytes) => post(batchPath('arrays'), NDJSON, arrayBatch(content, 2 * batchBytes)),
})

const FLOOD_KINDS = {
  queries: { connections: 40, request: worstQuery },
  pages: { connections: 30, request: largePage },
  batches: { connections: 12, request: batch },
  'two batches': { connections: 2, request: batch },
  texts: arrays('texts'),
  'text arrays': arrays('text arrays'),
  'integer arrays': arrays('integer arrays'),
  pipelines: { connections: 4, request: largePage, isPipelined: true },
  'stalled readers': { connections: 8, request: largePage, isPipelined: true, isStalled: true },
  'hang-ups': { connections: 10, request: worstQuery, hangsUp: true },
  'unknown tokens': { connections: 50, request: largePage, hasUnknownToken: true },
  /** Deletes all objects of a type that has many, with one request. */
  deletions: async (send: Send, batchBytes: number) => {
    await send(postBatch('sink', batchBytes))
    const all = { type: 'not', value: { type: 'eq', field: 'properties.n', value: -1 } }
    await send(postJson(`${batchPath('sink')}/deleteByQuery`, { query: all }))
  },
  /** Deletes a type with its objects. */
  'type deletions': async (send: Send, batchBytes: number) => {
    const definition = { ...DEFINITION, objectTypes: [...DEFINITION.objectTypes, DROPPED] }
    await send({ ...postJson(ONTOLOGY_PATH, definition), method: 'PUT' })
    await send(postBatch(DROPPED.apiName, batchBytes))
    const path = `${ONTOLOGY_PATH}/objectTypes/${DROPPED.apiName}?cascade=true`
    await send({ method: 'DELETE', path })
  },
  /** Replaces all objects of a type. */
  replacements: async (send: Send, batchBytes: number) => {
    const path = `${batchPath('sink')}/replacements`
    const { replacement } = JSON.parse(await send({ method: 'POST', path })) as {
      readonly replacement: string
    }
    await send(postBatch(`sink?replacement=${replacement}`, batchBytes))
    await send({ method: 'POST', path: `${path}/${replacement}/publish` })
  },
} as const satisfies Readonly<Record<string, RepeatedRequest | FloodScript>>

export type FloodKind = keyof typeof FLOOD_KINDS

/** The floods by the name that `--flood` takes. */
export const FLOODS: Readonly<Record<string, readonly FloodKind[]>> = {
  queries: ['queries'],
  pages: ['pages', 'pipelines'],
  batches: ['batches'],
  'two-batches': ['two batches'],
  texts: ['texts'],
  'text-arrays': ['text arrays'],
  'integer-arrays': ['integer arrays'],
  deletions: ['deletions'],
  'type-deletions': ['type deletions'],
  replacements: ['replacements'],
  'hang-ups': ['hang-ups', 'unknown tokens'],
  all: ['queries', 'pages', 'pipelines', 'batches', 'stalled readers'],
}

export function findFlood(kind: FloodKind): RepeatedRequest | FloodScript {
  return FLOOD_KINDS[kind]
}
