/** What requests and subscriptions cost that wait for changes, and how soon a commit reaches them. */
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { readBody } from '../measure/connection.ts'
import { define, makePart, writeChanges } from '../measure/parts.ts'
import { measureCost, privateMegabytes } from '../measure/processes.ts'
import { atMost, type Mark, quantile, showProgress } from '../measure/report.ts'
import { askMonitor, type Service } from '../measure/workbench.ts'

const PATH = '/api/v1/ontologies/followed/changes'
const DEFINITION = {
  apiName: 'followed',
  objectTypes: ['idle', 'busy'].map((apiName) => ({
    apiName,
    primaryKey: 'partNumber',
    properties: { partNumber: { type: 'string' as const }, name: { type: 'string' as const } },
  })),
}
const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}` }
const IDLE_MS = 20_000
/** By then, what was opened waits. */
const SETTLED_MS = 5000

export const followers: Part<{ readonly followers: number; readonly commits: number }> = {
  about: `Opens requests and subscriptions that wait, and measures the CPU time and the memory that they take while
nothing changes, and the time from the answer of a commit to the event that shows it: on PostgreSQL
from one node to another.`,
  full: { followers: 1000, commits: 300 },
  quick: { followers: 100, commits: 30 },
  async run({ bench, numbers, store }) {
    const name = await bench.createStore('followed')
    const settings = { OQS_MAX_CONNECTIONS: '10000' }
    const service = await bench.startService({ store: name, settings, hasMonitor: true })
    const other =
      store === 'PostgreSQL' ? await bench.startService({ store: name, settings }) : service
    await define(service, DEFINITION)
    await put(service, 0)
    const marks: Mark[] = []
    for (const [kind, open] of Object.entries(WAITING)) {
      showProgress(`opening ${numbers.followers} ${kind}`)
      // Starts the processes that read, and lets the heap grow.
      const closeFirst = await open(service, numbers.followers / 2)
      await sleep(SETTLED_MS)
      closeFirst()
      await sleep(SETTLED_MS)
      const before = await costOfIdling(service)
      const close = await open(service, numbers.followers)
      await sleep(SETTLED_MS)
      const waiting = await costOfIdling(service)
      close()
      const percent = Math.max(0, waiting.percent - before.percent)
      const kilobytes = (1000 * (waiting.megabytes - before.megabytes)) / numbers.followers
      marks.push(
        atMost(1, `${store}: ${kind} that wait, percent of a core`, percent),
        atMost(20, `${store}: ${kind} that wait, kB each`, kilobytes),
      )
    }
    const delays = await measureDelays(service, other, numbers.commits)
    marks.push(atMost(50, `${store}: from commit to follower, p99 ms`, quantile(delays, 0.99)))
    return marks
  },
}

/**
 * Returns the private memory of a service without garbage, which it collects only when it needs room.
 * The same number of bare Fastify requests takes 12 to 13 kB each, and of bare Node.js ones 10 to 11.
 */
async function heldMegabytes(service: Service): Promise<number> {
  await askMonitor(service, 'collect')
  return privateMegabytes(service.pid)
}

/** Returns what a service takes while nothing happens: percent of a core, and private memory. */
async function costOfIdling(service: Service) {
  // Garbage of earlier requests is no cost of idling.
  await heldMegabytes(service)
  const { cpuMicros, seconds } = await measureCost([service.pid], () => sleep(IDLE_MS))
  return { percent: cpuMicros / (10_000 * seconds), megabytes: await heldMegabytes(service) }
}

/** Opens connections that wait for changes of the idle type, and returns how to close them. */
type Open = (service: Service, count: number) => Promise<() => void>

const WAITING: Readonly<Record<string, Open>> = {
  async requests(service, count) {
    const since = await tokenOf(service, 'idle')
    const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
    for (let opened = 0; opened < count; opened += 1) {
      const url = new URL(`${PATH}/idle?since=${since}&wait=60`, service.url)
      get(url, { agent, headers: HEADERS }).on('error', () => {})
      if (opened % 50 === 0) await sleep(20)
    }
    return () => agent.destroy()
  },

  async subscriptions(service, count) {
    const { rid } = await read(service, '/api/v2/ontologies/followed')
    const path = `/api/v2/ontologySubscriptions/ontologies/${rid}/streamSubscriptions`
    const url = new URL(path, service.url).href.replace('http', 'ws')
    const sockets: WebSocket[] = []
    const objectSet = { type: 'base', objectType: 'idle' }
    for (let opened = 0; opened < count; opened += 1) {
      const socket = new WebSocket(url, [`Bearer-${ADMIN_TOKEN}`])
      await once(socket, 'open')
      socket.send(JSON.stringify({ id: '1', requests: [{ objectSet, propertySet: [] }] }))
      await once(socket, 'message')
      sockets.push(socket)
    }
    return () => {
      for (const socket of sockets) socket.terminate()
    }
  },
}

/** Writes to one node and reads the stream of the other; returns the time of each change in ms. */
async function measureDelays(writer: Service, reader: Service, commits: number): Promise<number[]> {
  const url = new URL(`${PATH}/busy?since=now`, reader.url)
  const request = get(url, { headers: { ...HEADERS, accept: 'text/event-stream' } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  await once(response, 'data')
  const delays: number[] = []
  for (let number = 1; number <= commits; number += 1) {
    const received = once(response, 'data').then(() => performance.now())
    await put(writer, number)
    const answeredAt = performance.now()
    delays.push(Math.max(0, (await received) - answeredAt))
  }
  response.destroy()
  return delays
}

async function tokenOf(service: Service, objectType: string): Promise<string> {
  const { nextChangesToken } = await read(service, `${PATH}/${objectType}?since=now`)
  return nextChangesToken ?? ''
}

async function read(service: Service, path: string): Promise<Record<string, string>> {
  return JSON.parse((await readBody(service, { method: 'GET', path })).toString())
}

async function put(service: Service, number: number): Promise<void> {
  const { partNumber, name } = makePart(number, 1)
  const path = '/api/admin/v1/ontologies/followed/objects/busy'
  await writeChanges(service, path, [{ put: { partNumber, name } }])
}
