/** The objects of a soak: a window of numbers that moves on, and the revision of each. */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { DEFINITION, makePart, type PartProperties, partNumber } from '../measure/parts.ts'

export const LABEL_TYPE = 'label'
/** The number of objects whose definition changes. */
export const LABELS = 1000

export interface Label {
  readonly id: string
  readonly text: string
  /** Only while the definition has this property. */
  readonly note?: string
}

/** Returns the definition with labels, which have a note or not. */
export function soakDefinition(hasNote: boolean): OntologyDefinition {
  const text = { type: 'string' } as const
  const properties = { id: text, text, ...(hasNote ? { note: text } : {}) }
  const label = { apiName: LABEL_TYPE, primaryKey: 'id', properties }
  return { ...DEFINITION, objectTypes: [...DEFINITION.objectTypes, label] }
}

export function makeLabel(number: number, note?: string): Label {
  const label = { id: `L${number}`, text: `label ${number}` }
  return note === undefined ? label : { ...label, note }
}

/** Makes a part whose values differ in each revision. */
function makeRevision(number: number, revision: number): PartProperties {
  return { ...makePart(number + 31 * revision, revision), partNumber: partNumber(number) }
}

export type PartChange = { readonly put: PartProperties } | { readonly delete: string }

/** Plans changes that keep the number of objects, and knows the objects that must be stored. */
export class LiveSet {
  readonly size: number
  readonly #revisions = new Map<number, number>()
  #first = 0
  #turn = 0

  constructor(size: number) {
    this.size = size
    for (let number = 0; number < size; number += 1) this.#revisions.set(number, 0)
  }

  /** Returns the next revision of some object, spread over the whole set. */
  update(): PartProperties {
    // A prime step visits every object before it visits one again.
    this.#turn += 7919
    const number = this.#first + (this.#turn % this.size)
    const revision = (this.#revisions.get(number) ?? 0) + 1
    this.#revisions.set(number, revision)
    return makeRevision(number, revision)
  }

  /** Replaces the oldest object by a new one. */
  replace(): { readonly deleted: string; readonly added: PartProperties } {
    const oldest = this.#first
    const newest = oldest + this.size
    this.#revisions.delete(oldest)
    this.#revisions.set(newest, 0)
    this.#first += 1
    return { deleted: partNumber(oldest), added: makeRevision(newest, 0) }
  }

  /** Returns changes for one batch. */
  batch(updates: number, replacements: number): PartChange[] {
    const changes: PartChange[] = Array.from({ length: updates }, () => ({ put: this.update() }))
    for (let n = 0; n < replacements; n += 1) {
      const { deleted, added } = this.replace()
      changes.push({ delete: deleted }, { put: added })
    }
    return changes
  }

  /** Returns a key that exists, unless it is being deleted. */
  someKey(): string {
    return partNumber(this.#first + 1 + ((this.#turn * 31) % (this.size - 1)))
  }

  /** The objects in key order. */
  *objects(): Generator<PartProperties> {
    for (const [number, revision] of this.#revisions) yield makeRevision(number, revision)
  }
}
