/** What one caller does to the others: which requests it sends, on how many connections, and how. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Target } from '../measure/connection.ts'
import { administer, createCaller, define } from '../measure/parts.ts'
import { findProcess } from '../measure/processes.ts'
import {
  batchOf,
  batchPath,
  DEFINITION,
  LIST_PATH,
  ONTOLOGY,
  WORST_QUERIES,
  wideDefinition,
} from './inputs.ts'
import { holdStream, largeCommit, sendPings } from './unread.ts'

export interface LoadNumbers {
  readonly batchBytes: number
  /** The number of large ontologies that one caller creates. */
  readonly ontologies: number
  /** The number of callers under one rule. */
  readonly callers: number
  /** The number of connections without a request. */
  readonly connections: number
}

type Headers = Target['headers']

/** What the process of a load is told. */
export interface LoadOrder {
  readonly url: string
  /** The loads that it runs at once. */
  readonly names: readonly LoadName[]
  /** The headers of the callers, each in turn. */
  readonly callers: readonly Headers[]
  /** The main process of the service. */
  readonly pid: number
  readonly numbers: LoadNumbers
  /** For measurements of other callers. The load is weaker if the service uses all cores. */
  readonly usesIdleTimeOnly: boolean
}

/** How often each status was received. */
export type LoadReport = Readonly<Record<string, number>>

/** Sends a request, and returns the body of the response. */
type Send = (call: Call) => Promise<string>

export interface Load {
  readonly connections?: number | ((numbers: LoadNumbers) => number)
  /** Returns the request number n; without it, connections stay silent. */
  request?(numbers: LoadNumbers): (n: number) => Call
  /** What each connection does instead, until it is closed. */
  hold?(target: Target, pid: number): Promise<void>
  /** Requests that depend on each other, again and again, instead of independent ones. */
  script?(send: Send, numbers: LoadNumbers): Promise<void>
  /**
   * How requests are sent, if not one after the other on each connection: each on a new connection;
   * many at once; many at once, without reading the responses; or without waiting for the response.
   */
  readonly manner?: 'reconnecting' | 'pipelined' | 'stalled' | 'hanging up'
  readonly hasUnknownToken?: boolean
  /** Prepares the service, and returns the headers of the callers; one that may do all by default. */
  prepare?(service: Target, numbers: LoadNumbers): Promise<readonly Headers[]>
}

const ONTOLOGIES = '/api/admin/v1/ontologies'
/** A type that a load deletes and defines again. */
const DROPPED = {
  apiName: 'dropped',
  primaryKey: 'id',
  properties: { id: { type: 'string' }, text: { type: 'string' }, n: { type: 'integer' } },
} as const
/** How often a process of columns is stopped: long enough for another one to start and build them. */
const STOPPED_MS = 3000
const LARGE_ONTOLOGIES = Array.from({ length: 7 }, (_, n) => `large${n}`)
const LARGE = [600, 49] as const

const sendJson = (method: string, path: string, body: object): Call => ({
  method,
  path,
  body: JSON.stringify(body),
})
const largePages = () => () => ({ method: 'GET', path: `${LIST_PATH}?pageSize=1000` })
const worstQueries = () => {
  const calls = WORST_QUERIES.map(([path, query]) => sendJson('POST', path, query))
  return (n: number) => calls[n % calls.length] as Call
}
/** The same batch again and again. */
const batches =
  (content: Parameters<typeof batchOf>[0], share = 1) =>
  ({ batchBytes }: LoadNumbers) => {
    const call = batchOf(content, share * batchBytes)
    return () => call
  }
const firstPage = (ontology: string): Call => ({
  method: 'GET',
  path: `/api/v1/ontologies/${ontology}/objects/type0?pageSize=1`,
})
const largeOntology = (n: number) => LARGE_ONTOLOGIES[n % LARGE_ONTOLOGIES.length] ?? ''
const smallDefinition = (n: number) => ({
  apiName: 'attacked',
  description: `Changed ${n} times.`,
  objectTypes: [DROPPED],
})

/** Defines large ontologies and a policy, and returns the headers of callers that have it. */
async function prepareCallers(service: Target, policy: string, rights: object[], callers = 1) {
  for (const name of LARGE_ONTOLOGIES) await define(service, wideDefinition(name, ...LARGE))
  await define(service, smallDefinition(0))
  await administer(service, 'PUT', `policies/${policy}`, { rights })
  const headers: Headers[] = []
  for (let n = 0; n < callers; n += 1) {
    headers.push(await createCaller(service, `${policy} ${n}`, policy))
  }
  return headers
}

async function stopColumns(pid: number): Promise<void> {
  // The first second is not judged.
  await sleep(STOPPED_MS / 2)
  const columns = findProcess(pid, 'columns-process-main')
  if (columns !== undefined) process.kill(columns, 'SIGSTOP')
  await sleep(STOPPED_MS / 2)
}

const LOADS = {
  queries: { connections: 40, request: worstQueries },
  pages: { connections: 30, request: largePages },
  batches: { connections: 12, request: batches('sentences') },
  'two-batches': { connections: 2, request: batches('sentences') },
  texts: { request: batches('texts', 2) },
  'text-arrays': { request: batches('text arrays', 2) },
  'integer-arrays': { request: batches('integer arrays', 2) },
  pipelines: { connections: 4, request: largePages, manner: 'pipelined' },
  'stalled-readers': { connections: 8, request: largePages, manner: 'stalled' },
  'hang-ups': { connections: 10, request: worstQueries, manner: 'hanging up' },
  'unknown-tokens': { connections: 50, request: largePages, hasUnknownToken: true },
  /** Deletes all objects of a type that has many, with one request. */
  deletions: {
    async script(send, { batchBytes }) {
      await send(batchOf('sentences', batchBytes))
      const query = { type: 'not', value: { type: 'eq', field: 'properties.n', value: -1 } }
      await send(sendJson('POST', `${batchPath('sink')}/deleteByQuery`, { query }))
    },
  },
  /** Deletes a type with its objects. */
  'type-deletions': {
    async script(send, { batchBytes }) {
      const path = `${ONTOLOGIES}/${ONTOLOGY}`
      const objectTypes = [...DEFINITION.objectTypes, DROPPED]
      await send(sendJson('PUT', path, { ...DEFINITION, objectTypes }))
      await send(batchOf('sentences', batchBytes, DROPPED.apiName))
      await send({ method: 'DELETE', path: `${path}/objectTypes/dropped?cascade=true` })
    },
  },
  /** Replaces all objects of a type. */
  replacements: {
    async script(send, { batchBytes }) {
      const path = `${batchPath('sink')}/replacements`
      const { replacement } = JSON.parse(await send({ method: 'POST', path }))
      await send(batchOf('sentences', batchBytes, `sink?replacement=${replacement}`))
      await send({ method: 'POST', path: `${path}/${replacement}/publish` })
    },
  },
  /** Changes a small definition again and again, and reads large ontologies in between. */
  views: {
    connections: 8,
    manner: 'reconnecting',
    prepare: (service) =>
      prepareCallers(service, 'views', [
        { ontology: 'attacked', objectType: '*', access: 'administer' },
        ...LARGE_ONTOLOGIES.map((ontology) => ({ ontology, objectType: '*', access: 'read' })),
      ]),
    request: () => (n) =>
      n % 2 === 0
        ? sendJson('PUT', `${ONTOLOGIES}/attacked`, smallDefinition(n))
        : firstPage(largeOntology(n)),
  },
  /** Many callers, each of which sees other objects because of one rule. */
  claims: {
    connections: 8,
    manner: 'reconnecting',
    prepare: (service, { callers }) => {
      const where = { type: 'eq', field: 'property1', value: '$caller.name' }
      const rights = LARGE_ONTOLOGIES.flatMap((ontology) => [
        { ontology, objectType: 'type0', access: 'read', where },
        { ontology, objectType: '*', access: 'read' },
      ])
      return prepareCallers(service, 'claims', rights, callers)
    },
    request: () => (n) => firstPage(largeOntology(n)),
  },
  /** Creates as many large ontologies as it may, and then reads from all of them. */
  ontologies: {
    connections: 8,
    manner: 'reconnecting',
    request: ({ ontologies }) => {
      const text = JSON.stringify(wideDefinition('NAME', ...LARGE))
      return (n) => {
        if (n >= ontologies) return firstPage(`many${(n * 7) % ontologies}`)
        const body = text.replace('NAME', `many${n}`)
        return { method: 'PUT', path: `${ONTOLOGIES}/many${n}`, body }
      }
    },
  },
  /** Follows changes, and reads none of them. */
  'unread-streams': { connections: 900, hold: holdStream },
  /** Writes changes of 4 MB, twice a second. */
  'large-commits': {
    async script(send) {
      await send(largeCommit(Date.now() % 2 ** 31))
      await sleep(500)
    },
  },
  /** Sends pings on WebSockets, and reads none of the answers. */
  pings: { connections: 10, hold: sendPings },
  /** Stops the process of columns, and each one that replaces it. */
  'stopped-columns': { hold: (_, pid) => stopColumns(pid) },
  /** Opens connections and sends nothing. */
  connections: { connections: ({ connections }) => connections },
} as const satisfies Readonly<Record<string, Load>>

export type LoadName = keyof typeof LOADS

export function findLoad(name: LoadName): Load {
  return LOADS[name]
}

/** The floods by the name that `--flood` takes, and the loads that each runs at once. */
export const FLOODS: Readonly<Record<string, readonly LoadName[]>> = {
  queries: ['queries'],
  pages: ['pages', 'pipelines'],
  ...alone('batches', 'two-batches', 'texts', 'text-arrays', 'integer-arrays'),
  ...alone('deletions', 'type-deletions', 'replacements'),
  'hang-ups': ['hang-ups', 'unknown-tokens'],
  'unread-streams': ['unread-streams', 'large-commits'],
  pings: ['pings'],
  all: ['queries', 'pages', 'pipelines', 'batches', 'stalled-readers'],
}

/** The attacks on memory and connections, by the name that `--attack` takes. */
export const ATTACKS = alone('views', 'claims', 'ontologies', 'connections')

function alone(...names: readonly LoadName[]): Readonly<Record<string, readonly LoadName[]>> {
  return Object.fromEntries(names.map((name) => [name, [name]]))
}
