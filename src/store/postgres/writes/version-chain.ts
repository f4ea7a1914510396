/** The rows of several versions of a type that are written together. */
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { PublishedVersion } from '../../core/commits/commit-log.ts'
import type { LockedType } from '../../core/commits/locked-type.ts'
import type { Change } from '../../port/writes.ts'
import type { RowVersions } from './row-encoder.ts'
import { keyOf } from './settled-changes.ts'

interface ChainedRow extends RowVersions {
  readonly object: StoredObject
  to: number
}

interface ChainedVersion extends PublishedVersion {
  /** The keys of the objects that were written or deleted. */
  readonly keys: readonly string[]
}

export class VersionChain {
  readonly rows: ChainedRow[] = []
  /** The objects whose rows in the table are closed, each with the version that closes it. */
  readonly closed: [key: string, version: number][] = []
  /** The number of added rows that later versions close. */
  closedWithin = 0
  readonly #existing: ReadonlySet<string>
  /** The current row of each changed object; undefined if it is deleted. */
  readonly #current = new Map<string, ChainedRow | undefined>()
  #version: number
  #next: number

  /** The keys are those of objects that exist, among those that are deleted. */
  constructor(type: Pick<LockedType, 'published' | 'lastVersion'>, existing: ReadonlySet<string>) {
    this.#version = type.published
    this.#next = type.lastVersion + 1
    this.#existing = existing
  }

  /** Adds the changes of a commit, one for each object, as the next version if they have an effect. */
  add(changes: readonly Change[]): ChainedVersion {
    const effective = changes.filter((change) => 'put' in change || this.#exists(change.delete))
    if (effective.length > 0) {
      this.#version = this.#next
      this.#next += 1
    }
    let put = 0
    for (const change of effective) {
      const key = keyOf(change)
      this.#close(key)
      if (!('put' in change)) {
        this.#current.set(key, undefined)
        continue
      }
      const row = { object: change.put, from: this.#version, to: NEVER_CLOSED }
      this.rows.push(row)
      this.#current.set(key, row)
      put += 1
    }
    const counts = { put, deleted: effective.length - put, kept: 0 }
    return { version: this.#version, ...counts, keys: effective.map(keyOf) }
  }

  #exists(key: string): boolean {
    if (this.#current.has(key)) return this.#current.get(key) !== undefined
    return this.#existing.has(key)
  }

  #close(key: string): void {
    if (!this.#current.has(key)) {
      this.closed.push([key, this.#version])
      return
    }
    const row = this.#current.get(key)
    if (row === undefined) return
    row.to = this.#version
    this.closedWithin += 1
  }
}
