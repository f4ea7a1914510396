/** Writes and reads at a steady pace; the number of objects stays the same. */
import { type Call, Connection, type Target } from '../measure/connection.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY } from '../measure/parts.ts'
import { findToken, listPages, searchPages } from '../measure/walk.ts'
import { LABEL_TYPE, LABELS, type LiveSet, makeLabel, soakDefinition } from './live-set.ts'

const ADMIN = '/api/admin/v1'
const TYPES = `${ADMIN}/ontologies/${ONTOLOGY}`
export const PART_PATH = `${TYPES}/objects/${OBJECT_TYPE}`
export const LABEL_PATH = `${TYPES}/objects/${LABEL_TYPE}`
const LIST = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`
const SNAPSHOT = listPages({ snapshot: 'true' })
const BY_TIME = listPages({ orderBy: 'properties.changedAt:desc' })
const TEXT = searchPages({ type: 'allTerms', field: 'properties.notes', value: 'delivery line' })
const VALVES = searchPages({
  type: 'and',
  value: [
    { type: 'eq', field: 'properties.category', value: 'valve' },
    { type: 'gt', field: 'properties.weight', value: 600 },
  ],
})
const KEYWORD = searchPages(
  { type: 'keyword', query: 'inspected' },
  `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
)
const AGGREGATE: Call = {
  method: 'POST',
  path: `${LIST}/aggregate`,
  body: JSON.stringify({
    aggregation: [{ type: 'count' }],
    groupBy: [{ type: 'exact', field: 'properties.category' }],
  }),
}
/** Set for the service, so that what expires can be deleted during the run. */
export const SNAPSHOT_SECONDS = 60
const WALK_PAGE = 1000
const WRITES_PER_DEFINITION = 480
const READS_PER_TOKEN = 400
const CHANGED_LABELS = 50

export interface ChurnCounts {
  writes: number
  reads: number
  /** Snapshot walks from the first page to the last. */
  walks: number
  /** Snapshot walks that took longer than a snapshot is kept. */
  expired: number
  tokens: number
  definitions: number
}

/** A snapshot walk in progress. */
interface Walk {
  readonly token: string | undefined
  readonly objects: number
  readonly startedMs: number
}

function newWalk(): Walk {
  return { token: undefined, objects: 0, startedMs: performance.now() }
}

/** Sends one request after the other on two connections: one writes, the other reads. */
export class Churn implements Disposable {
  readonly counts: ChurnCounts = {
    writes: 0,
    reads: 0,
    walks: 0,
    expired: 0,
    tokens: 0,
    definitions: 0,
  }
  readonly #service: Target
  readonly #live: LiveSet
  readonly #writes: Connection
  readonly #reads: Connection
  #walk = newWalk()
  #hasNote = false

  private constructor(service: Target, live: LiveSet, writes: Connection, reads: Connection) {
    this.#service = service
    this.#live = live
    this.#writes = writes
    this.#reads = reads
  }

  static async open(service: Target, live: LiveSet): Promise<Churn> {
    const [writes, reads] = [await Connection.open(service), await Connection.open(service)]
    return new Churn(service, live, writes, reads)
  }

  /** Changes between 1 and 20 objects; sometimes also a definition. */
  async write(): Promise<void> {
    const kind = this.counts.writes % 4
    this.counts.writes += 1
    if (this.counts.writes % WRITES_PER_DEFINITION === 0) await this.#changeDefinition()
    if (kind === 0) return this.#sendBatch(PART_PATH, this.#live.batch(12, 4))
    if (kind === 3) {
      const { deleted, added } = this.#live.replace()
      await this.#change({ method: 'DELETE', path: `${PART_PATH}/${deleted}` })
      return this.#put('PUT', added)
    }
    return this.#put(kind === 1 ? 'PUT' : 'PATCH', this.#live.update())
  }

  async read(): Promise<void> {
    const { reads } = this.counts
    this.counts.reads += 1
    if (this.counts.reads % READS_PER_TOKEN === 0) await this.#tryToken()
    // Every other read is a page of the walk, so that there is always an open snapshot.
    if (reads % 2 === 0) return this.#walkOn()
    const others = [BY_TIME(100), TEXT(100), VALVES(100), KEYWORD(100), AGGREGATE, this.#object()]
    const call = others[((reads - 1) / 2) % others.length] ?? AGGREGATE
    const { status } = await this.#reads.send(call)
    // An object can be deleted between the choice of its key and the request.
    if (status !== 200 && status !== 404) throw new Error(`${call.path} returned ${status}.`)
  }

  /** Creates an API token, uses it, and revokes it. */
  async #tryToken(): Promise<void> {
    const spec = { name: 'soak', scopes: ['api:ontologies-read'] }
    const body = JSON.stringify(spec)
    const created = await this.#reads.read({ method: 'POST', path: `${ADMIN}/tokens`, body })
    const { id, token } = JSON.parse(created.toString())
    const { url } = this.#service
    using connection = await Connection.open({ url, headers: { authorization: `Bearer ${token}` } })
    await connection.drain(SNAPSHOT(10))
    await this.#reads.drain({ method: 'DELETE', path: `${ADMIN}/tokens/${id}` })
    this.counts.tokens += 1
  }

  /** Adds a property to the labels and values to some of them, or removes the property again. */
  async #changeDefinition(): Promise<void> {
    this.#hasNote = !this.#hasNote
    this.counts.definitions += 1
    const body = JSON.stringify(soakDefinition(this.#hasNote))
    await this.#change({ method: 'PUT', path: `${TYPES}?allowDataLoss=true`, body })
    if (!this.#hasNote) return
    const first = (this.counts.definitions * CHANGED_LABELS) % LABELS
    const changes = Array.from({ length: CHANGED_LABELS }, (_, n) => ({
      put: makeLabel((first + n) % LABELS, `note ${n}`),
    }))
    await this.#sendBatch(LABEL_PATH, changes)
  }

  /** Returns the token of the second page of a new snapshot walk. */
  async openSnapshot(): Promise<Call> {
    const token = findToken(await this.#reads.read(SNAPSHOT(10)))
    if (token === undefined) throw new Error('A walk ended after its first page.')
    return SNAPSHOT(10, token)
  }

  /** Restores the definition of the beginning. */
  async end(): Promise<void> {
    if (this.#hasNote) await this.#changeDefinition()
  }

  [Symbol.dispose](): void {
    this.#writes[Symbol.dispose]()
    this.#reads[Symbol.dispose]()
  }

  async #walkOn(): Promise<void> {
    const { token, objects, startedMs } = this.#walk
    const { status, body } = await this.#reads.send(SNAPSHOT(WALK_PAGE, token), true)
    if (status === 400 && performance.now() - startedMs > SNAPSHOT_SECONDS * 1000) {
      // The machine is busy, and the walk too slow.
      this.counts.expired += 1
      this.#walk = newWalk()
      return
    }
    if (status !== 200) throw new Error(`A page of a walk: ${status} ${body.toString()}`)
    const read = objects + JSON.parse(body.toString()).data.length
    const next = findToken(body)
    this.#walk = next === undefined ? newWalk() : { token: next, objects: read, startedMs }
    if (next === undefined) this.#checkCount(read)
  }

  #checkCount(read: number): void {
    this.counts.walks += 1
    // One object may be deleted, and its replacement not written yet.
    const { size } = this.#live
    if (read > size || read < size - 1) {
      throw new Error(`A snapshot walk returned ${read} of ${size} objects.`)
    }
  }

  #object(): Call {
    return { method: 'GET', path: `${LIST}/${this.#live.someKey()}` }
  }

  async #put(method: 'PUT' | 'PATCH', part: { readonly partNumber: string }): Promise<void> {
    const body = JSON.stringify(part)
    await this.#change({ method, path: `${PART_PATH}/${part.partNumber}`, body })
  }

  async #sendBatch(path: string, changes: readonly object[]): Promise<void> {
    const body = changes.map((change) => JSON.stringify(change)).join('\n')
    await this.#change({ method: 'POST', path, contentType: 'application/x-ndjson', body })
  }

  async #change(call: Call): Promise<void> {
    const { status, body } = await this.#writes.send(call, true)
    if (status === 200 || status === 201) return
    throw new Error(`${call.method} ${call.path} returned ${status}: ${body.toString()}`)
  }
}
