/** Small requests of six kinds, and the time that each takes. */
import { type Call, Connection, type Target } from '../measure/connection.ts'
import { batchPath, LIST_PATH } from './inputs.ts'

export interface Timing {
  readonly name: string
  /** 0 when the connection failed. */
  readonly status: number
  readonly ms: number
}

export const WRITE = 'write an object'
const COUNT = 'count a group'

export interface SmallRequestsOptions {
  /** Sends each request on a new connection. */
  readonly reconnects: boolean
  /** Also counts, which columns answer. */
  readonly counts: boolean
}

/** Sends small requests one after the other, for different objects so that no response is cached. */
export class SmallRequests implements Disposable {
  readonly #target: Target
  readonly #options: SmallRequestsOptions
  #connection: Connection | undefined
  #round = 0

  constructor(target: Target, options: SmallRequestsOptions) {
    this.#target = target
    this.#options = options
  }

  async sendFor(ms: number): Promise<readonly Timing[]> {
    const timings: Timing[] = []
    const end = performance.now() + ms
    do {
      this.#round += 1
      for (const [name, call] of smallCalls(this.#round)) {
        if (name === COUNT && !this.#options.counts) continue
        timings.push(await this.#time(name, call))
      }
    } while (performance.now() < end)
    return timings
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]()
    this.#connection = undefined
  }

  async #time(name: string, call: Call): Promise<Timing> {
    const started = performance.now()
    let status = 0
    try {
      this.#connection ??= await Connection.open(this.#target)
      status = (await this.#connection.send(call)).status
    } catch {
      // Counted as refused.
      this[Symbol.dispose]()
    }
    const ms = performance.now() - started
    if (this.#options.reconnects) this[Symbol.dispose]()
    return { name, status, ms }
  }
}

function smallCalls(round: number): readonly (readonly [name: string, call: Call])[] {
  const number = round % 10_000
  const id = `i${String(number).padStart(7, '0')}`
  const search = (query: object): Call => ({
    method: 'POST',
    path: `${LIST_PATH}/search`,
    body: JSON.stringify({ query, pageSize: 10 }),
  })
  const term = { type: 'anyTerm', field: 'properties.text', value: `rare${number}` }
  const group = { type: 'eq', field: 'properties.group', value: round % 1000 }
  const aggregation = [{ type: 'count', name: 'count' }]
  const count = { method: 'POST', body: JSON.stringify({ query: group, aggregation, groupBy: [] }) }
  const note = JSON.stringify({ put: { id, n: round, text: 'a few words of a note' } })
  const write = { method: 'POST', contentType: 'application/x-ndjson', body: note }
  return [
    ['list 10 objects', { method: 'GET', path: `${LIST_PATH}?pageSize=${5 + (round % 10)}` }],
    ['get an object', { method: 'GET', path: `${LIST_PATH}/${id}` }],
    ['search by equality', search({ type: 'eq', field: 'properties.id', value: id })],
    ['search for a rare term', search(term)],
    [COUNT, { ...count, path: `${LIST_PATH}/aggregate` }],
    ['readiness', { method: 'GET', path: '/readyz' }],
    [WRITE, { ...write, path: batchPath('note') }],
  ]
}

export const NAMES = smallCalls(0).map(([name]) => name)
