/**
 * What a correct service must hold: maps of objects, one for each commit. Nothing is computed
 * cleverly here, because the simulation is only as right as this file.
 */

/** An object as clients write and read it. Absent properties are null in an order. */
export interface SimObject {
  readonly k: string | number
  readonly n?: number
  readonly s?: string
  readonly tags?: readonly string[]
  /** Makes some objects larger. */
  readonly pad?: string
}

export type Key = SimObject['k']
export type Change = { readonly put: SimObject } | { readonly delete: Key }
/** By key. A value that is the same instance in two states is the same row version. */
export type Objects = ReadonlyMap<Key, SimObject>
export type WriteMode = 'upsert' | 'append'

/** The objects of a type from one commit to the next. */
export interface State {
  readonly version: number
  readonly objects: Objects
  /** When maintenance first saw a later state; earlier if the clock was set back since. */
  supersededAt: number | undefined
  isReclaimed: boolean
  /** Whether the objects were converted to another definition since. */
  isRedefined: boolean
}

export interface Counts {
  readonly put: number
  readonly deleted: number
  readonly kept: number
}

export interface Replacement {
  readonly id: string
  objects: Objects
  status: 'loading' | 'abandoned' | 'published'
  /** When maintenance first saw it idle; undefined if it was used since then. */
  idleSince: number | undefined
  /** The answer to its publication. */
  published?: { readonly state: State; readonly mode: PublishMode; readonly answer: object }
}

export interface Lifetimes {
  readonly rowVersionsMs: number
  readonly idleReplacementsMs: number
}

export class TypeModel {
  /** Every state since the type was created, the current one last. */
  readonly states: [State, ...State[]] = [newState(0, new Map())]
  readonly replacements = new Map<string, Replacement>()

  get current(): State {
    return this.states.at(-1) ?? this.states[0]
  }

  /** The replacements that are neither published nor abandoned. */
  get open(): readonly Replacement[] {
    return [...this.replacements.values()].filter(({ status }) => status === 'loading')
  }

  /** Publishes a state. The version comes from the service, and must be a new one. */
  publish(objects: Objects, version: number): State {
    if (version <= this.current.version) {
      throw new Error(`version ${version} does not follow ${this.current.version}`)
    }
    const state = newState(version, objects)
    this.states.push(state)
    return state
  }

  /** Publishes the same objects, converted to another definition, which ends open replacements. */
  publishConverted(version: number): void {
    for (const state of this.states) state.isRedefined = true
    for (const replacement of this.open) replacement.status = 'abandoned'
    this.publish(copied(this.current.objects), version)
  }

  /** Marks what maintenance deletes when it reads this clock. */
  maintain(nowMs: number, { rowVersionsMs, idleReplacementsMs }: Lifetimes): void {
    for (const state of this.states.slice(0, -1)) {
      state.supersededAt = Math.min(state.supersededAt ?? nowMs, nowMs)
      if (nowMs - state.supersededAt >= rowVersionsMs) state.isReclaimed = true
    }
    for (const replacement of this.open) {
      replacement.idleSince = Math.min(replacement.idleSince ?? nowMs, nowMs)
      if (nowMs - replacement.idleSince >= idleReplacementsMs) replacement.status = 'abandoned'
    }
  }
}

function newState(version: number, objects: Objects): State {
  return { version, objects, supersededAt: undefined, isReclaimed: false, isRedefined: false }
}

/** Applies a batch. Of several changes of one object, the last one counts; of an append, the first. */
export function applyChanges(
  objects: Objects,
  changes: readonly Change[],
  mode: WriteMode,
): Counts & { readonly objects: Objects } {
  const changeOf = new Map<Key, Change>()
  for (const change of mode === 'append' ? changes.toReversed() : changes) {
    changeOf.set('put' in change ? change.put.k : change.delete, change)
  }
  const result = new Map(objects)
  let [put, deleted, kept] = [0, 0, 0]
  for (const [key, change] of changeOf) {
    if ('delete' in change) deleted += result.delete(key) ? 1 : 0
    else if (mode === 'append' && objects.has(key)) kept += 1
    else {
      result.set(key, { ...change.put })
      put += 1
    }
  }
  return { objects: result, put, deleted, kept }
}

export type PublishMode = 'replace' | WriteMode

/** Applies a replacement. Every object is a new row version, also those that are kept. */
export function applyReplacement(
  current: Objects,
  loaded: Objects,
  mode: PublishMode,
): Counts & { readonly objects: Objects } {
  if (mode === 'replace') {
    return { objects: copied(loaded), put: loaded.size, deleted: current.size, kept: 0 }
  }
  const shared = [...loaded.keys()].filter((key) => current.has(key)).length
  const kept = mode === 'append' ? shared : 0
  const [below, above] = mode === 'append' ? [loaded, current] : [current, loaded]
  return {
    objects: copied(new Map([...below, ...above])),
    put: loaded.size - kept,
    deleted: 0,
    kept,
  }
}

/** Returns the same objects, each as a new row version. */
function copied(objects: Objects): Objects {
  return new Map([...objects].map(([key, object]) => [key, { ...object }]))
}
