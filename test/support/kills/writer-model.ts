/**
 * What one writer has written: its writes follow one another, so its objects are in the state after
 * the last acknowledged write, or after the one whose response was lost.
 */
import type { Random } from '../../simulation/random.ts'
import type { SendOptions, TestResponse } from '../service.ts'
import { type Entry, keyOf, SLOTS } from './entries.ts'

type Objects = ReadonlyMap<string, Entry>

export interface Write {
  /** The path after that of the object type. */
  readonly path: string
  readonly options: SendOptions
  readonly status: number
  /** The objects after the write; undefined if it must be refused. */
  readonly after: Objects | undefined
}

interface Acknowledged {
  readonly write: Write
  readonly version: number
}

/** The objects of a writer from one version to the next. */
interface State {
  readonly objects: Objects
  readonly version: number
}

const NDJSON = { 'content-type': 'application/x-ndjson' }

export class WriterModel {
  /** The write that was sent last, until its response arrives. */
  pending: Write | undefined
  /** The acknowledged write that was applied last; sent again, it must change nothing. */
  last: Acknowledged | undefined
  readonly #name: string
  readonly #keys: readonly string[]
  readonly #random: Random
  #states: State[] = [{ objects: new Map(), version: 0 }]
  /** The number of states that were forgotten. */
  #forgotten = 0
  #sent = 0

  constructor(writer: number, objects: number, random: Random) {
    this.#name = `writer-${writer}`
    this.#keys = Array.from({ length: SLOTS }, (_, slot) => keyOf(writer, slot, objects))
    this.#random = random
  }

  /** The number of the newest acknowledged state. */
  get acknowledged(): number {
    return this.#forgotten + this.#states.length - 1
  }

  get #current(): State {
    return this.#states.at(-1) as State
  }

  /** Plans the next write. */
  next(): Write {
    this.#sent += 1
    const plan = this.#random.pickWeighted<() => Write>([
      [4, () => this.#batch(true)],
      [1, () => this.#batch(false)],
      [4, () => this.#put(false)],
      [2, () => this.#put(true)],
      [4, () => this.#patch()],
      [3, () => this.#delete()],
    ])
    const write = plan()
    const headers = { ...write.options.headers, 'idempotency-key': `${this.#name}-${this.#sent}` }
    this.pending = { ...write, options: { ...write.options, headers } }
    return this.pending
  }

  /**
   * Takes the response to the pending write; throws if it is wrong. Returns the version of the
   * write; undefined if it was refused.
   */
  acknowledge({ status, body, text }: TestResponse): number | undefined {
    const write = this.pending
    if (write === undefined) throw new Error('no write was sent')
    if (status !== write.status) {
      throw new Error(`${describe(write)} returned ${status} instead of ${write.status}: ${text}`)
    }
    this.pending = undefined
    if (write.after === undefined) return undefined
    const version: number = body.version
    if (version <= this.#current.version) throw new Error(`version ${version} is not a new one`)
    this.#states.push({ objects: write.after, version })
    this.last = { write, version }
    return version
  }

  /**
   * Checks the current objects: those after the last acknowledged write, or after the pending one.
   * Returns whether the pending write was applied.
   */
  checkCurrent(objects: readonly Entry[]): boolean {
    if (isSame(objects, this.#current.objects)) return false
    const { pending } = this
    if (pending?.after !== undefined && isSame(objects, pending.after)) return true
    throw new Error(
      `${this.#name}: ${JSON.stringify(objects)} is neither the state after the last acknowledged write, ` +
        `${JSON.stringify([...this.#current.objects.values()])}, nor that after ${describe(pending)}`,
    )
  }

  /** Returns the ranges of versions, among some states, in which the writer had these objects. */
  versionsOf(
    objects: readonly Entry[],
    from: number,
    to: number,
  ): { readonly first: number; readonly end: number }[] {
    const ranges = []
    for (let at = from - this.#forgotten; at <= to - this.#forgotten; at += 1) {
      const state = this.#states[at]
      if (state === undefined || !isSame(objects, state.objects)) continue
      const end = this.#states[at + 1]?.version ?? Number.POSITIVE_INFINITY
      ranges.push({ first: state.version, end })
    }
    return ranges
  }

  /** Forgets the states before one that no walk can show any more. */
  forgetBefore(state: number): void {
    const forgotten = state - this.#forgotten
    if (forgotten <= 0) return
    this.#states = this.#states.slice(forgotten)
    this.#forgotten = state
  }

  #entry(key: string): Entry {
    const text = `written by ${this.#name} as number ${this.#sent}`
    return { key, kind: 'written', count: this.#sent, text }
  }

  #after(changes: readonly (readonly [key: string, entry: Entry | undefined])[]): Objects {
    const objects = new Map(this.#current.objects)
    for (const [key, entry] of changes) {
      if (entry === undefined) objects.delete(key)
      else objects.set(key, entry)
    }
    return objects
  }

  /** A batch of up to 20 changes; an invalid one is refused because of its last line. */
  #batch(isValid: boolean): Write {
    const size = this.#random.between(2, 20)
    const keys = new Set(Array.from({ length: size }, () => this.#random.pick(this.#keys)))
    const changes = [...keys].map((key, at): [string, Entry | undefined] => [
      key,
      at > 0 && this.#random.chance(0.3) ? undefined : this.#entry(key),
    ])
    const lines = changes.map(([key, entry]) =>
      JSON.stringify(entry === undefined ? { delete: key } : { put: entry }),
    )
    if (!isValid) lines.push('{"put":{"key":"invalid","count":"many"}}')
    const options = { method: 'POST', headers: NDJSON, body: lines.join('\n') }
    return isValid
      ? { path: '', options, status: 200, after: this.#after(changes) }
      : { path: '', options, status: 400, after: undefined }
  }

  /** Creates or replaces one object; with a condition, it is refused if the object exists. */
  #put(isCreation: boolean): Write {
    const key = this.#random.pick(this.#keys)
    const exists = this.#current.objects.has(key)
    const headers = isCreation ? { 'if-none-match': '*' } : {}
    const entry = this.#entry(key)
    const options = { method: 'PUT', json: entry, headers }
    if (isCreation && exists) return { path: `/${key}`, options, status: 412, after: undefined }
    return {
      path: `/${key}`,
      options,
      status: exists ? 200 : 201,
      after: this.#after([[key, entry]]),
    }
  }

  #patch(): Write {
    const key = this.#random.pick(this.#keys)
    const current = this.#current.objects.get(key)
    const options = { method: 'PATCH', json: { count: this.#sent } }
    if (current === undefined) return { path: `/${key}`, options, status: 404, after: undefined }
    const after = this.#after([[key, { ...current, count: this.#sent }]])
    return { path: `/${key}`, options, status: 200, after }
  }

  #delete(): Write {
    const key = this.#random.pick(this.#keys)
    const options = { method: 'DELETE' }
    if (!this.#current.objects.has(key)) {
      return { path: `/${key}`, options, status: 404, after: undefined }
    }
    return { path: `/${key}`, options, status: 200, after: this.#after([[key, undefined]]) }
  }
}

function isSame(objects: readonly Entry[], expected: Objects): boolean {
  return (
    objects.length === expected.size &&
    objects.every(({ key, kind, count, text }) => {
      const entry = expected.get(key)
      return entry?.count === count && entry.text === text && entry.kind === kind
    })
  )
}

function describe(write: Write | undefined): string {
  return write === undefined
    ? 'no write'
    : `${write.options.method} of ${JSON.stringify(write.options)}`
}
