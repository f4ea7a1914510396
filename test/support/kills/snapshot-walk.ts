/** A snapshot walk over the objects of all writers, which may continue in another service. */
import { sendTo } from '../service.ts'
import { type Entry, ONTOLOGY, TYPE } from './entries.ts'
import type { WriterModel } from './writer-model.ts'

const PATH = `/api/v1/ontologies/${ONTOLOGY}/objects/${TYPE}?properties.kind.eq=written&snapshot=true`

/** The states of a writer that the snapshot can show, by their numbers. */
interface Range {
  readonly from: number
  readonly to: number
}

export class SnapshotWalk {
  readonly #writers: readonly WriterModel[]
  readonly #objects: Entry[] = []
  #ranges: readonly Range[] = []
  #total: string | undefined
  #token: string | undefined

  constructor(writers: readonly WriterModel[]) {
    this.#writers = writers
  }

  /** True between the first page and the last. */
  get isUnderway(): boolean {
    return this.#token !== undefined
  }

  get isComplete(): boolean {
    return this.#total !== undefined && this.#token === undefined
  }

  /** Returns the oldest state of a writer that the snapshot can show. */
  oldestState(writer: number): number {
    return this.#ranges[writer]?.from ?? Number.POSITIVE_INFINITY
  }

  /** Reads the next page. Returns false, and stays where it is, if the store is not reachable. */
  async readPage(url: string, pageSize: number): Promise<boolean> {
    const before = this.#writers.map(({ acknowledged }) => acknowledged)
    const token = this.#token === undefined ? '' : `&pageToken=${this.#token}`
    const response = await sendTo(`${url}${PATH}&pageSize=${pageSize}${token}`)
    if (response.status === 503) return false
    if (response.status !== 200) throw new Error(`a page: ${response.status} ${response.text}`)
    const { data, nextPageToken, totalCount } = response.body
    if (this.#total === undefined) {
      this.#total = totalCount
      // A write that was sent before this response can be part of the snapshot.
      this.#ranges = this.#writers.map(({ acknowledged, pending }, writer) => ({
        from: before[writer] ?? 0,
        to: acknowledged + (pending === undefined ? 0 : 1),
      }))
    }
    for (const { properties } of data) this.#add(properties)
    this.#token = nextPageToken
    return true
  }

  /** Returns the objects of each writer; throws unless there are as many as the first page said. */
  objectsByWriter(): readonly Entry[][] {
    if (String(this.#objects.length) !== this.#total) {
      throw new Error(`a walk returned ${this.#objects.length} of ${this.#total} objects`)
    }
    const groups = this.#writers.map((): Entry[] => [])
    for (const entry of this.#objects) groups[writerOf(entry)]?.push(entry)
    return groups
  }

  /** Throws unless there is one version at which all writers had these objects. */
  check(): void {
    const groups = this.objectsByWriter()
    const versions = this.#writers.map((writer, at) => {
      const { from = 0, to = 0 } = this.#ranges[at] ?? {}
      const possible = writer.versionsOf(groups[at] ?? [], from, to)
      if (possible.length > 0) return possible
      throw new Error(`a walk shows what writer ${at} never wrote: ${JSON.stringify(groups[at])}`)
    })
    const isPossible = (version: number) =>
      versions.every((each) => each.some(({ first, end }) => first <= version && version < end))
    if (!versions.flat().some(({ first }) => isPossible(first))) {
      throw new Error(`a walk mixes versions: ${JSON.stringify(versions)}`)
    }
  }

  #add(entry: Entry): void {
    const last = this.#objects.at(-1)
    if (last !== undefined && last.key >= entry.key) {
      throw new Error(`a walk returned ${entry.key} after ${last.key}`)
    }
    this.#objects.push(entry)
  }
}

function writerOf({ key }: Entry): number {
  return Number(key.split('-')[1])
}
