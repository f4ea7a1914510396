/**
 * What has changed in a set of objects since it was read. The service holds a request until something
 * changes, so that nobody has to ask again and again.
 */
import type { ObjectSetDefinition } from '../../client/endpoints/object-sets.ts'
import type { FlatRecord, ObjectChange } from '../../client/endpoints/pages.ts'
import { walkPages } from '../../client/query/walk-pages.ts'
import { isRetryable, realPause } from '../../client/retry.ts'
import { waitMs } from '../api/load-part.ts'
import { Observable } from '../api/observable.ts'
import type { Service } from '../api/service.ts'
import { whereOf } from '../view/compile-filters.ts'
import { followsLinks, type TypeView } from '../view/type-view.ts'

export interface ChangedObject {
  readonly key: string
  readonly title: string | undefined
  /** Deleted, or no longer in the set. */
  readonly isGone: boolean
  readonly receivedAtMs: number
}

export interface ChangesState {
  /** Each object once; the one that changed last comes last. */
  readonly changed: ReadonlyMap<string, ChangedObject>
  /** True while the service is expected to tell of the next change. */
  readonly isLive: boolean
  /** Why changes can no longer be followed. */
  readonly error: Error | undefined
}

export interface ChangesOptions {
  readonly service: Service
  readonly of: TypeView
  /** The version that was read. Without it, changes are followed from the first request on. */
  readonly version: number | undefined
}

/** Nobody reads more changes than these one by one. When there are as many, no more are followed. */
export const MOST_CHANGED = 1000

const WAIT_SECONDS = 30
/** At least this long between two requests, however often others write. */
const REST_MS = 1000

export const NO_CHANGES: ChangesState = { changed: new Map(), isLive: false, error: undefined }

export class Changes {
  readonly #service: Service
  readonly #ontology: string
  readonly #objectSet: ObjectSetDefinition
  /** The records need not say more than which objects changed. */
  readonly #select: readonly string[]
  readonly #state = new Observable(NO_CHANGES)
  #since: string

  constructor({ service, of, version }: ChangesOptions) {
    const { apiName: objectType, primaryKey, titleProperty } = of.objectType
    const all = { type: 'base', objectType }
    const where = whereOf(of)
    this.#service = service
    this.#ontology = of.ontology.apiName
    this.#objectSet = where === undefined ? all : { type: 'filter', objectSet: all, where }
    this.#select = [primaryKey, ...(titleProperty === undefined ? [] : [titleProperty])]
    // The version of one type does not say which linked objects there were.
    this.#since = version === undefined || followsLinks(of) ? NOW : String(version)
  }

  /** The state; a new object after each change. */
  readonly getState = this.#state.get

  readonly subscribe = this.#state.subscribe

  /** True if nothing more will be known. */
  get hasEnded(): boolean {
    const { changed, error } = this.getState()
    return error !== undefined || changed.size >= MOST_CHANGED
  }

  /** Follows changes until the signal aborts. Then it can be called again, and misses nothing. */
  async follow(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted && !this.hasEnded) {
      try {
        if (failures === 0) this.#change({ isLive: true })
        await this.#readOn(signal)
        failures = 0
        await realPause(REST_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#change({ isLive: false })
        if (!isRetryable(error)) return this.#change({ error: error as Error })
        await realPause(waitMs(failures, error.retryAfterMs), signal).catch(() => {})
        failures += 1
      }
    }
  }

  /** Reads the changes up to the latest version. If there are none, waits for some. */
  async #readOn(signal: AbortSignal): Promise<void> {
    const since = this.#since
    const request = {
      objectSet: this.#objectSet,
      select: this.#select,
      excludeRid: true,
      since,
      // The sooner there is a token, the less is missed by a reader who looks away.
      wait: since === NOW ? 0 : WAIT_SECONDS,
      pageSize: MOST_CHANGED,
    }
    const readPage = (pageToken: string | undefined) =>
      this.#service.objectSets.loadChanges(this.#ontology, { ...request, pageToken }, { signal })
    for await (const { data, nextChangesToken } of walkPages(readPage)) {
      this.#add(data)
      this.#since = nextChangesToken ?? this.#since
      if (this.hasEnded) return
    }
  }

  #add(changes: readonly ObjectChange<FlatRecord>[]): void {
    if (changes.length === 0) return
    const changed = new Map(this.getState().changed)
    for (const change of changes) {
      const object = changedObject(change)
      changed.delete(object.key)
      changed.set(object.key, object)
    }
    this.#change({ changed })
  }

  #change(change: Partial<ChangesState>): void {
    this.#state.set({ ...this.getState(), ...change })
  }
}

/** Follows the changes from now on. */
const NOW = 'now'

function changedObject(change: ObjectChange<FlatRecord>): ChangedObject {
  const receivedAtMs = Date.now()
  if ('delete' in change) {
    const key = String(change.delete.primaryKey)
    return { key, title: undefined, isGone: true, receivedAtMs }
  }
  const { __primaryKey: key, __title: title } = change.put
  return { key: String(key), title, isGone: false, receivedAtMs }
}
