/**
 * Which sync writes to an object type: the last one that has copied a table to it. The service stores
 * that as the position of a source without changes, one for each type.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { countOf } from '../../contract/count-of.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { findType } from './sync-definition.ts'

/** Starts the names of the sources; alone, it counts the claims of the ontology. */
const SOURCE = 'oqs-sync-owner'
const COUNT_LENGTH = 12
/** Types whose owners are read at once. */
const AT_ONCE = 8

interface Claim {
  /** Makes each claim sort behind the one before it. */
  readonly count: number
  readonly owner: string | undefined
}

export class TypeOwners {
  readonly #endpoints: Endpoints
  readonly #ontology: string

  constructor(endpoints: Endpoints, ontology: string) {
    this.#endpoints = endpoints
    this.#ontology = ontology
  }

  /** Returns a number that grows with every claim. */
  async countClaims(): Promise<number> {
    return (await this.#read(SOURCE)).count
  }

  /** Throws if another sync has copied to one of the types. */
  async check(definition: OntologyDefinition, types: readonly string[], owner: string) {
    await forEach(types, async (type) => {
      const { owner: other = owner } = await this.#read(sourceOf(definition, type))
      if (other === owner) return
      throw new Error(
        `${type} now has the rows of another sync, with the replication slot ${slotOf(other)}. Stop that one, then run the command with --restart to copy the tables again; or use another type.`,
      )
    })
  }

  /** Throws if a type has objects that the owner has not written. */
  async checkReplaced(definition: OntologyDefinition, types: readonly string[], owner?: string) {
    const { administration } = this.#endpoints
    const { objectTypes } = await administration.getObjectCounts(this.#ontology)
    const filled = types.filter((type) => (objectTypes[type]?.count ?? 0) > 0)
    await forEach(filled, async (type) => {
      const { owner: writer } = await this.#read(sourceOf(definition, type))
      if (writer !== undefined && writer === owner) return
      const by =
        writer === undefined
          ? 'no sync has written'
          : `another sync has written, with the replication slot ${slotOf(writer)}`
      throw new Error(
        `${this.#ontology} has ${countOf(objectTypes[type]?.count ?? 0, 'object')} of type ${type} that ${by}. Pass --restart to replace them with the rows of the table, or use another type.`,
      )
    })
  }

  /** Makes the owner that of the types, before it replaces their objects. */
  async claim(definition: OntologyDefinition, types: readonly string[], owner: string) {
    await forEach(types, (type) => this.#claim(sourceOf(definition, type), owner))
    await this.#claim(SOURCE, owner)
  }

  async #claim(source: string, owner: string): Promise<void> {
    for (;;) {
      const present = await this.#read(source)
      if (present.owner === owner && source !== SOURCE) return
      const count = String(present.count + 1).padStart(COUNT_LENGTH, '0')
      const commit = `${count}@${owner}`
      const { position } = await this.#apply(source, JSON.stringify({ commit }))
      if (position === commit) return
    }
  }

  async #read(source: string): Promise<Claim> {
    const { position } = await this.#apply(source, '\n')
    const owner = position.slice(COUNT_LENGTH + 1) || undefined
    return { count: Number(position.slice(0, COUNT_LENGTH)), owner }
  }

  #apply(source: string, lines: string) {
    return this.#endpoints.administration.applyTransactions(this.#ontology, source, lines)
  }
}

/** Returns the name of an owner: a slot, and the database server that has it. */
export function ownerName(slot: string, systemId: string): string {
  return `${slot}@${systemId}`
}

/** Returns the slot of an owner. */
export function slotOf(owner: string): string {
  return owner.slice(0, owner.indexOf('@'))
}

function sourceOf(definition: OntologyDefinition, type: string): string {
  return `${SOURCE}.${findType(definition, type)?.rid ?? type}`
}

async function forEach<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(run))
  }
}
