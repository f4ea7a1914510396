/** Writers and walkers that load a service until it is killed or the load ends, and the checks after that. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../simulation/random.ts'
import { sendTo, type TestResponse } from '../service.ts'
import { ONTOLOGY, TYPE } from './entries.ts'
import { SnapshotWalk } from './snapshot-walk.ts'
import { type Write, WriterModel } from './writer-model.ts'

const WRITERS = 6
const WALKERS = 3
const PAUSE_MS = 10
const PAGE_SIZE_MIN = 5
const PAGE_SIZE_MAX = 40
const LARGEST_PAGE = 1000

/** What is expected of the service: that it serves, that its database is gone, or that it ends. */
type Phase = 'serving' | 'outage' | 'ending'

/** How long each writer and walker waits after a response. */
interface Pauses {
  readonly writeMs: number
  readonly walkMs: number
}

export class LoadedService {
  readonly counts = { acknowledged: 0, refused: 0, lostResponses: 0, walks: 0, crossingWalks: 0 }
  readonly #random: Random
  readonly #pauses: Pauses
  readonly #writers: readonly WriterModel[]
  /** One walk for each walker; it continues after a kill. */
  readonly #walks: SnapshotWalk[]
  /** Complete walks, which are checked when the version of every write is known. */
  #completeWalks: SnapshotWalk[] = []
  #phase: Phase = 'serving'
  /** The number of responses to writes since the last start. */
  #responses = 0
  readonly #versions = { first: Number.POSITIVE_INFINITY, last: 0 }
  /** The first error of a writer or walker. */
  #failure: unknown

  constructor(objects: number, random: Random, pauses: Pauses = { writeMs: 0, walkMs: 0 }) {
    this.#random = random
    this.#pauses = pauses
    this.#writers = Array.from({ length: WRITERS }, (_, at) => new WriterModel(at, objects, random))
    this.#walks = Array.from({ length: WALKERS }, () => new SnapshotWalk(this.#writers))
  }

  /** Loads the service until it is gone; throws at the first wrong response. */
  async run(url: string): Promise<void> {
    this.#phase = 'serving'
    this.#responses = 0
    const { writeMs, walkMs } = this.#pauses
    await Promise.all([
      ...this.#writers.map((writer) => this.#repeat(() => this.#write(url, writer), writeMs)),
      ...this.#walks.map((_, walker) => this.#repeat(() => this.#walkOn(url, walker), walkMs)),
    ])
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Waits for a number of responses to writes, and until a walk is between two pages. */
  async untilBusy(responses: number): Promise<void> {
    const isBusy = () =>
      this.#responses >= responses && this.#walks.some(({ isUnderway }) => isUnderway)
    while (this.#failure === undefined && !isBusy()) await sleep(1)
  }

  /** From now on, 503 is a valid response. */
  expectOutage(): void {
    this.#phase = 'outage'
  }

  /** From now on, connections may break. */
  expectEnd(): void {
    this.#phase = 'ending'
    this.counts.crossingWalks += this.#walks.filter(({ isUnderway }) => isUnderway).length
  }

  /** Checks a service that nobody else writes to, and learns what became of the pending writes. */
  async check(url: string): Promise<void> {
    const current = new SnapshotWalk(this.#writers)
    while (!current.isComplete) await current.readPage(url, LARGEST_PAGE)
    const objects = current.objectsByWriter()
    for (const [at, writer] of this.#writers.entries()) {
      const isApplied = writer.checkCurrent(objects[at] ?? [])
      if (writer.last !== undefined) {
        const { write, version } = writer.last
        requireReplay(write, await send(url, write), version)
      }
      if (writer.pending === undefined) continue
      const { pending } = writer
      const response = await send(url, pending)
      if (isApplied) {
        requireReplay(pending, response)
        this.counts.lostResponses += 1
      }
      this.#acknowledge(writer, response)
    }
    this.#checkVersions()
    for (const walk of this.#completeWalks) walk.check()
    this.#completeWalks = []
    for (const [at, writer] of this.#writers.entries()) {
      const needed = this.#walks.map((walk) => walk.oldestState(at))
      writer.forgetBefore(Math.min(writer.acknowledged, ...needed))
    }
  }

  /** Completes the walks that are underway, and checks them. */
  async finishWalks(url: string): Promise<void> {
    for (const [walker, walk] of this.#walks.entries()) {
      while (walk.isUnderway) await this.#walkOn(url, walker)
    }
    await this.check(url)
  }

  /** Repeats a step until the service is killed, or another step has failed. */
  async #repeat(step: () => Promise<boolean>, pauseMs: number): Promise<void> {
    const isEnding = () => this.#phase === 'ending'
    while (this.#failure === undefined && !isEnding()) {
      try {
        const isReachable = await step()
        if (isReachable && pauseMs === 0) continue
        if (!isReachable && this.#phase === 'serving') throw new Error('the store is not reachable')
        await sleep(isReachable ? pauseMs : PAUSE_MS)
      } catch (error) {
        if (!isEnding() || !isBrokenConnection(error)) this.#failure ??= error
        return
      }
    }
  }

  async #write(url: string, writer: WriterModel): Promise<boolean> {
    const response = await send(url, writer.pending ?? writer.next())
    if (response.status === 503) return false
    this.#acknowledge(writer, response)
    return true
  }

  #acknowledge(writer: WriterModel, response: TestResponse): void {
    const version = writer.acknowledge(response)
    this.#responses += 1
    if (version === undefined) {
      this.counts.refused += 1
      return
    }
    this.counts.acknowledged += 1
    this.#versions.first = Math.min(this.#versions.first, version)
    this.#versions.last = Math.max(this.#versions.last, version)
  }

  async #walkOn(url: string, walker: number): Promise<boolean> {
    const walk = this.#walks[walker] ?? new SnapshotWalk(this.#writers)
    const isReachable = await walk.readPage(url, this.#random.between(PAGE_SIZE_MIN, PAGE_SIZE_MAX))
    if (walk.isComplete) {
      this.#completeWalks.push(walk)
      this.counts.walks += 1
      this.#walks[walker] = new SnapshotWalk(this.#writers)
    }
    return isReachable
  }

  /** Every acknowledged write has a version of its own, and there is no other version. */
  #checkVersions(): void {
    const { first, last } = this.#versions
    const { acknowledged } = this.counts
    if (acknowledged > 0 && last - first + 1 !== acknowledged) {
      throw new Error(`${acknowledged} writes made ${last - first + 1} versions`)
    }
  }
}

/** Returns whether fetch has failed before or while it received the response. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message)
}

function send(url: string, { path, options }: Write): Promise<TestResponse> {
  return sendTo(`${url}/api/admin/v1/ontologies/${ONTOLOGY}/objects/${TYPE}${path}`, options)
}

/** Throws unless the service has recognised a repeated write. */
function requireReplay(write: Write, response: TestResponse, version?: number): void {
  const { status, body, text } = response
  const isReplayed = response.headers.get('idempotency-replayed') === 'true'
  if (isReplayed && status === write.status && (version ?? body.version) === body.version) return
  throw new Error(`a repeated ${write.options.method} returned ${status} ${text}`)
}
