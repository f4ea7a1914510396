/**
 * Joins the aggregations that the parts of a screen ask for in the same turn into one request, so that
 * all of them belong to one version.
 */
import type { ObjectAggregation, ObjectSets } from '../../client/endpoints/object-sets.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import type { AggregateResponse } from '../../client/endpoints/revision-1.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { AGGREGATE_MAX_BATCH } from '../../contract/limits.ts'

/** The objects that are aggregated. */
export interface AggregatedType extends TypePath {
  /** The version to read; undefined reads the newest. */
  readonly version: number | undefined
  /** True if no other version may take its place once it is gone. */
  readonly isSnapshot: boolean
}

interface Asked {
  readonly body: ObjectAggregation
  readonly signal: AbortSignal
  readonly resolve: (response: AggregateResponse) => void
  readonly reject: (error: unknown) => void
}

export class JointAggregations {
  readonly #objectSets: ObjectSets
  /** What was asked for in this turn, by what is aggregated. */
  readonly #waiting = new Map<string, Asked[]>()

  constructor(objectSets: ObjectSets) {
    this.#objectSets = objectSets
  }

  ask(
    type: AggregatedType,
    body: ObjectAggregation,
    signal: AbortSignal,
  ): Promise<AggregateResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<AggregateResponse>()
    const asked = { body, signal, resolve, reject }
    const key = JSON.stringify(type)
    const batch = this.#waiting.get(key)
    if (batch !== undefined && batch.length < AGGREGATE_MAX_BATCH) batch.push(asked)
    else this.#start(key, type, [asked])
    return promise
  }

  #start(key: string, type: AggregatedType, batch: Asked[]): void {
    this.#waiting.set(key, batch)
    setTimeout(() => {
      if (this.#waiting.get(key) === batch) this.#waiting.delete(key)
      void this.#send(type, batch)
    })
  }

  async #send(type: AggregatedType, batch: readonly Asked[]): Promise<void> {
    for (const { signal, reject } of batch) if (signal.aborted) reject(signal.reason)
    const asked = batch.filter(({ signal }) => !signal.aborted)
    if (asked.length === 0) return
    const { version, isSnapshot, ...path } = type
    try {
      const request = { aggregations: asked.map(({ body }) => body), version }
      const call = { signal: abortedByAll(asked) }
      const answers = await this.#objectSets.aggregateBatch(path, request, call)
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] ?? { data: [] })
    } catch (error) {
      const { errorName, parameters = {} } = error instanceof OqsError ? error : {}
      // Rows may stay on the screen for longer than their version is kept.
      if (errorName === 'VersionNotFound' && version !== undefined && !isSnapshot) {
        return this.#send({ ...type, version: undefined }, asked)
      }
      const index = /^aggregations\[(\d+)\]/.exec(String(parameters['parameter']))?.[1]
      const wrong = index === undefined ? undefined : asked[Number(index)]
      for (const { reject } of wrong === undefined ? asked : [wrong]) reject(error)
      if (wrong === undefined) return
      const others = asked.filter((each) => each !== wrong)
      return this.#send(type, others)
    }
  }
}

/** Returns a signal that is aborted when nobody waits for an answer any longer. */
function abortedByAll(asked: readonly Asked[]): AbortSignal {
  const controller = new AbortController()
  let left = asked.length
  const leave = () => {
    left -= 1
    if (left === 0) controller.abort()
  }
  for (const { signal } of asked) signal.addEventListener('abort', leave, { once: true })
  return controller.signal
}
