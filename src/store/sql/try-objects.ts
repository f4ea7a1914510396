/**
 * Tries a change of a definition on the stored objects without writing any. The stores read and
 * convert some objects per step, so that other queries get their turn in between.
 */
import { hash } from 'node:crypto'
import { DRY_RUN_MAX_KEYS, DRY_RUN_MAX_SECONDS } from '../../contract/limits.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import { rewritesObjects } from '../../ontology/definition/type-change.ts'
import { finish } from '../../ontology/pausable-work.ts'
import { RefusedObject } from '../../ontology/values/read-object.ts'
import type { TriedObjects, UnfitObject } from '../port/definitions.ts'
import { UNFIT_OBJECTS_MAX } from './plan-definition-change.ts'
import { sameKey, type TypeConverter, unfitObject } from './stored-change.ts'

/** Objects of one type that follow a key. */
export interface NextObjects {
  readonly typeRid: string
  readonly after: string
}

/** What one step has found. */
export interface TriedStep {
  readonly tried: number
  /** The number of objects that do not fit, and some of them. */
  readonly unfit: number
  readonly unfitObjects: readonly UnfitObject[]
  readonly lastKey: string
  /** True if no object follows the last key. */
  readonly isLast: boolean
  /** The keys that the objects would get, if the change gives them other ones. */
  readonly newKeys?: NewKeys
}

interface NewKeys {
  /** Two numbers of each new key. */
  readonly hashes: Uint32Array
  /** What is reported about each object if another one has its new key. */
  readonly unfit: readonly UnfitObject[]
}

/** Collects the objects of a step. */
export class StepTrial {
  readonly #converter: TypeConverter
  readonly #unfitObjects: UnfitObject[] = []
  readonly #hashes: number[] = []
  readonly #owners: UnfitObject[] = []
  #tried = 0
  #unfit = 0
  #lastKey: string

  constructor(converter: TypeConverter, after: string) {
    this.#converter = converter
    this.#lastKey = after
  }

  get tried(): number {
    return this.#tried
  }

  add(pk: string, key: string, body: string): void {
    this.#tried += 1
    this.#lastKey = pk
    const converter = this.#converter
    try {
      const { pk: newKey } = finish(converter.convert(body))
      if (!converter.changesKeys) return
      const bytes = hash('sha1', newKey, 'buffer')
      this.#hashes.push(bytes.readUInt32LE(0), bytes.readUInt32LE(4))
      this.#owners.push(sameKey(converter, key))
    } catch (error) {
      if (!(error instanceof RefusedObject)) throw error
      this.#unfit += 1
      if (this.#unfitObjects.length >= UNFIT_OBJECTS_MAX) return
      this.#unfitObjects.push(unfitObject(converter, key, error))
    }
  }

  end(isLast: boolean): TriedStep {
    const { changesKeys } = this.#converter
    const newKeys = { hashes: Uint32Array.from(this.#hashes), unfit: this.#owners }
    return {
      tried: this.#tried,
      unfit: this.#unfit,
      unfitObjects: this.#unfitObjects,
      lastKey: this.#lastKey,
      isLast,
      ...(changesKeys ? { newKeys } : {}),
    }
  }
}

export interface TryOptions {
  readonly now: () => number
  /** The trial ends after this long, and tells how far it came. */
  readonly maxMs: number
  /** New keys are compared up to this many per type, because they are kept in memory. */
  readonly maxKeys: number
}

/** The options of every store. */
export const DRY_RUN: TryOptions = {
  now: () => performance.now(),
  maxMs: 1000 * DRY_RUN_MAX_SECONDS,
  maxKeys: DRY_RUN_MAX_KEYS,
}

/** Tries all objects of all types that a change rewrites. */
export async function tryInSteps(
  { ontology, types }: Pick<OntologyChange, 'ontology' | 'types'>,
  tryNext: (next: NextObjects) => Promise<TriedStep>,
  { now, maxMs, maxKeys }: TryOptions,
): Promise<TriedObjects> {
  const kept = new Set(ontology.definition.objectTypes.map(({ rid }) => rid))
  const rewritten = types.filter((type) => rewritesObjects(type) && kept.has(type.typeRid))
  const endsAt = now() + maxMs
  const unfitObjects: UnfitObject[] = []
  const untried: string[] = []
  let [tried, unfit] = [0, 0]
  const report = (found: readonly UnfitObject[], count: number) => {
    unfit += count
    unfitObjects.push(...found.slice(0, UNFIT_OBJECTS_MAX - unfitObjects.length))
  }
  for (const { typeRid, objectType } of rewritten) {
    const keys = new SeenKeys(maxKeys)
    let step: TriedStep | undefined
    do {
      if (now() >= endsAt) {
        untried.push(
          `the other objects of ${objectType}: a dry run ends after ${maxMs / 1000} seconds`,
        )
        break
      }
      step = await tryNext({ typeRid, after: step?.lastKey ?? '' })
      tried += step.tried
      report(step.unfitObjects, step.unfit)
      const repeated = step.newKeys === undefined ? [] : keys.findEarlierCommit(step.newKeys)
      report(repeated, repeated.length)
    } while (!step.isLast)
    if (keys.isFull) {
      untried.push(
        `whether the primary keys of ${objectType} are unique, beyond ${maxKeys} objects`,
      )
    }
  }
  return { tried, unfit, unfitObjects, untried }
}

/**
 * A set of 64-bit hashes of keys, in two arrays: objects would take several times the memory. Among a
 * million keys, two have the same hash once in 30 million trials.
 */
class SeenKeys {
  readonly #max: number
  #size = 0
  #first = new Uint32Array(1024)
  #second = new Uint32Array(1024)

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#size >= this.#max
  }

  /** Adds keys, and returns those that were added before. */
  findEarlierCommit({ hashes, unfit }: NewKeys): UnfitObject[] {
    return unfit.filter((_, index) => {
      if (this.isFull) return false
      if (2 * this.#size >= this.#first.length) this.#grow()
      // Zeros mark a free slot.
      return !this.#add(hashes[2 * index] || 1, hashes[2 * index + 1] || 1)
    })
  }

  #add(first: number, second: number): boolean {
    const mask = this.#first.length - 1
    let slot = first & mask
    for (; this.#first[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#first[slot] === first && this.#second[slot] === second) return false
    }
    this.#first[slot] = first
    this.#second[slot] = second
    this.#size += 1
    return true
  }

  #grow(): void {
    const [first, second] = [this.#first, this.#second]
    this.#first = new Uint32Array(2 * first.length)
    this.#second = new Uint32Array(2 * first.length)
    this.#size = 0
    for (const [slot, value] of first.entries())
      if (value !== 0) this.#add(value, second[slot] ?? 0)
  }
}
