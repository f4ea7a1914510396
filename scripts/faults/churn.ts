/**
 * A load whose objects are known: writes update, insert and delete objects, while their number stays
 * the same; reads walk snapshots, search, count and fetch.
 */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Call, sendOnce, type Target } from '../measure/connection.ts'
import {
  familySearchPages,
  findToken,
  listPages,
  OBJECTS,
  readWalk,
  searchPages,
} from '../measure/pages.ts'
import {
  administer,
  DEFINITION,
  define,
  isPart,
  makePart,
  ONTOLOGY,
  PART_OBJECTS,
  type PartProperties,
  partNumber,
  writeChanges,
} from '../measure/parts.ts'

const SNAPSHOT = listPages({ snapshot: 'true' })
const VALVES = searchPages({
  type: 'and',
  value: [
    { type: 'eq', field: 'properties.category', value: 'valve' },
    { type: 'gt', field: 'properties.weight', value: 600 },
  ],
})
const AGGREGATION = {
  aggregation: [{ type: 'count' }],
  groupBy: [{ type: 'exact', field: 'properties.category' }],
}
const READS: readonly Call[] = [
  listPages({ orderBy: 'properties.changedAt:desc' })(100),
  searchPages({ type: 'allTerms', field: 'properties.notes', value: 'delivery line' })(100),
  VALVES(100),
  familySearchPages({ type: 'keyword', query: 'inspected' })(100),
  { method: 'POST', path: `${OBJECTS}/aggregate`, body: JSON.stringify(AGGREGATION) },
]
/** Set for the service, so that what expires can be deleted during the run. */
export const SNAPSHOT_SECONDS = 60
const WALK_PAGE = 1000
const WRITES_PER_DEFINITION = 480
const READS_PER_TOKEN = 400
/** The objects of a second type, whose definition changes. */
const LABELS = 1000
const CHANGED_LABELS = 50
const LABEL_OBJECTS = PART_OBJECTS.replace(/[^/]+$/, 'label')

/** A snapshot walk in progress. */
interface Walk {
  readonly token: string | undefined
  readonly objects: number
  readonly startedMs: number
}

export class Churn {
  readonly counts = {
    writes: 0,
    reads: 0,
    /** Snapshot walks from the first page to the last. */
    walks: 0,
    /** Snapshot walks that took longer than a snapshot is kept. */
    expired: 0,
    tokens: 0,
    definitions: 0,
  }
  readonly #service: Target
  readonly #size: number
  /** The revision of each object that must be stored. */
  readonly #revisions = new Map<number, number>()
  #first = 0
  #turn = 0
  #walk: Walk = newWalk()
  #hasNote = false

  constructor(service: Target, size: number) {
    this.#service = service
    this.#size = size
    for (let number = 0; number < size; number += 1) this.#revisions.set(number, 0)
  }

  /** Writes the objects into an empty store, which is that of the service by default. */
  async load(service = this.#service): Promise<void> {
    await define(service, definitionOf(false))
    const labels = Array.from({ length: LABELS }, (_, number) => ({ put: labelOf(number) }))
    await writeChanges(service, LABEL_OBJECTS, labels)
    const parts = Array.from(this.#objects(), (part) => ({ put: part }))
    await writeChanges(service, PART_OBJECTS, parts)
  }

  /** Changes between 1 and 20 objects; sometimes also a definition. */
  async write(): Promise<void> {
    const kind = this.counts.writes % 4
    this.counts.writes += 1
    if (this.counts.writes % WRITES_PER_DEFINITION === 0) await this.#changeDefinition()
    if (kind === 0) {
      const updates = Array.from({ length: 12 }, () => ({ put: this.#update() }))
      const replacements = Array.from({ length: 4 }, () => this.#replace()).flatMap(
        ({ deleted, added }) => [{ delete: deleted }, { put: added }],
      )
      return writeChanges(this.#service, PART_OBJECTS, [...updates, ...replacements])
    }
    if (kind !== 3) return this.#put(kind === 1 ? 'PUT' : 'PATCH', this.#update())
    const { deleted, added } = this.#replace()
    await this.#change({ method: 'DELETE', path: `${PART_OBJECTS}/${deleted}` })
    return this.#put('PUT', added)
  }

  async read(): Promise<void> {
    const { reads } = this.counts
    this.counts.reads += 1
    if (this.counts.reads % READS_PER_TOKEN === 0) await this.#tryToken()
    // Every other read is a page of the walk, so that there is always an open snapshot.
    if (reads % 2 === 0) return this.#walkOn()
    const someKey = partNumber(this.#first + 1 + ((this.#turn * 31) % (this.#size - 1)))
    const getObject = { method: 'GET', path: `${OBJECTS}/${someKey}` }
    const call = READS[((reads - 1) / 2) % (READS.length + 1)] ?? getObject
    const { status } = await sendOnce(this.#service, call)
    // An object can be deleted between the choice of its key and the request.
    if (status !== 200 && status !== 404) throw new Error(`${call.path} returned ${status}.`)
  }

  /** Returns the second page of a new snapshot walk. */
  async openSnapshot(): Promise<Call> {
    return SNAPSHOT(10, findToken((await sendOnce(this.#service, SNAPSHOT(10))).body))
  }

  /** Restores the definition of the beginning. */
  async end(): Promise<void> {
    if (this.#hasNote) await this.#changeDefinition()
  }

  /** Throws unless the service has exactly the objects that were written. */
  async check(): Promise<void> {
    const expected = this.#objects()
    for await (const page of readWalk(this.#service, listPages())) {
      for (const { properties } of JSON.parse(page.toString()).data) {
        const part = expected.next().value
        if (part !== undefined && isPart(properties, part)) continue
        const [stored, wanted] = [properties, part].map((each) => JSON.stringify(each))
        throw new Error(`The object ${stored} is stored instead of ${wanted}.`)
      }
    }
    if (expected.next().done !== true) throw new Error('Objects are missing.')
  }

  /** The objects in key order. */
  *#objects(): Generator<PartProperties> {
    for (const [number, revision] of this.#revisions) yield revisionOf(number, revision)
  }

  /** Returns the next revision of some object, spread over the whole set. */
  #update(): PartProperties {
    // A prime step visits every object before it visits one again.
    this.#turn += 7919
    const number = this.#first + (this.#turn % this.#size)
    const revision = (this.#revisions.get(number) ?? 0) + 1
    this.#revisions.set(number, revision)
    return revisionOf(number, revision)
  }

  /** Replaces the oldest object by a new one. */
  #replace() {
    const oldest = this.#first
    const newest = oldest + this.#size
    this.#revisions.delete(oldest)
    this.#revisions.set(newest, 0)
    this.#first += 1
    return { deleted: partNumber(oldest), added: revisionOf(newest, 0) }
  }

  /** Creates an API token, uses it, and revokes it. */
  async #tryToken(): Promise<void> {
    const { id, token } = await administer(this.#service, 'POST', 'tokens', { name: 'soak' })
    const headers = { authorization: `Bearer ${token}` }
    await sendOnce({ ...this.#service, headers }, SNAPSHOT(10))
    await administer(this.#service, 'DELETE', `tokens/${id}`)
    this.counts.tokens += 1
  }

  /** Adds a property to the labels and values to some of them, or removes the property again. */
  async #changeDefinition(): Promise<void> {
    this.#hasNote = !this.#hasNote
    this.counts.definitions += 1
    const path = `ontologies/${ONTOLOGY}?allowDataLoss=true`
    await administer(this.#service, 'PUT', path, definitionOf(this.#hasNote))
    if (!this.#hasNote) return
    const first = (this.counts.definitions * CHANGED_LABELS) % LABELS
    const changes = Array.from({ length: CHANGED_LABELS }, (_, n) => ({
      put: labelOf((first + n) % LABELS, `note ${n}`),
    }))
    await writeChanges(this.#service, LABEL_OBJECTS, changes)
  }

  async #walkOn(): Promise<void> {
    const { token, objects, startedMs } = this.#walk
    const { status, body } = await sendOnce(this.#service, SNAPSHOT(WALK_PAGE, token))
    this.#walk = newWalk()
    if (status === 400 && performance.now() - startedMs > SNAPSHOT_SECONDS * 1000) {
      // The machine is busy, and the walk too slow.
      this.counts.expired += 1
      return
    }
    if (status !== 200) throw new Error(`A page of a walk: ${status} ${body.toString()}`)
    const read = objects + JSON.parse(body.toString()).data.length
    const next = findToken(body)
    if (next !== undefined) {
      this.#walk = { token: next, objects: read, startedMs }
      return
    }
    this.counts.walks += 1
    // One object may be deleted, and its replacement not written yet.
    if (read > this.#size || read < this.#size - 1) {
      throw new Error(`A snapshot walk returned ${read} of ${this.#size} objects.`)
    }
  }

  #put(method: 'PUT' | 'PATCH', part: PartProperties): Promise<void> {
    const path = `${PART_OBJECTS}/${part.partNumber}`
    return this.#change({ method, path, body: JSON.stringify(part) })
  }

  async #change(call: Call): Promise<void> {
    const { status, body } = await sendOnce(this.#service, call)
    if (status === 200 || status === 201) return
    throw new Error(`${call.method} ${call.path} returned ${status}: ${body.toString()}`)
  }
}

function newWalk(): Walk {
  return { token: undefined, objects: 0, startedMs: performance.now() }
}

/** Makes a part whose values differ in each revision. */
function revisionOf(number: number, revision: number): PartProperties {
  return { ...makePart(number + 31 * revision, revision), partNumber: partNumber(number) }
}

/** Returns the definition with labels, which have a note or not. */
function definitionOf(hasNote: boolean): OntologyDefinition {
  const text = { type: 'string' } as const
  const properties = { id: text, text, ...(hasNote ? { note: text } : {}) }
  const label = { apiName: 'label', primaryKey: 'id', properties }
  return { ...DEFINITION, objectTypes: [...DEFINITION.objectTypes, label] }
}

function labelOf(number: number, note?: string): object {
  return { id: `L${number}`, text: `label ${number}`, ...(note !== undefined && { note }) }
}
