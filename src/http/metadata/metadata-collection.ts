/** Metadata as JSON: each item is described once for each version of a definition. */
import type { Ontology } from '../../ontology/ontology.ts'
import { etagOfBytes } from '../response/entity-tag.ts'

export interface Named {
  readonly apiName: string
  readonly rid: string
}

/** The description of an item, ready to be sent. */
export interface Description {
  readonly json: string
  readonly bytes: number
  readonly etag: string
}

/** Items of one kind, such as the link types of an object type, their owner. */
export interface CollectionSpec<Owner extends object, Item extends Named> {
  readonly items: (owner: Owner, ontology: Ontology) => Iterable<Item>
  /** Returns a function that describes the items of an ontology. */
  readonly describer: (ontology: Ontology) => (item: Item) => object
}

export class MetadataCollection<Owner extends object, Item extends Named> {
  readonly #spec: CollectionSpec<Owner, Item>
  /**
   * An ontology is replaced when the definition changes, and its lists with it. Callers with other
   * rights see another ontology, which can share an owner but not its items.
   */
  readonly #lists = new WeakMap<Ontology, Map<Owner, MetadataList<Item>>>()

  constructor(spec: CollectionSpec<Owner, Item>) {
    this.#spec = spec
  }

  listOf(ontology: Ontology, owner: Owner): MetadataList<Item> {
    const lists = this.#lists.get(ontology) ?? new Map<Owner, MetadataList<Item>>()
    this.#lists.set(ontology, lists)
    let list = lists.get(owner)
    if (list === undefined) {
      list = new MetadataList(this.#spec.items(owner, ontology), this.#spec.describer(ontology))
      lists.set(owner, list)
    }
    return list
  }
}

export class MetadataList<Item extends Named> {
  /** By name, so that a change of the definition moves no item that it does not touch. */
  readonly items: readonly Item[]
  readonly #describe: (item: Item) => object
  readonly #descriptions = new Map<Item, Description>()
  #byRid: ReadonlyMap<string, Item> | undefined

  constructor(items: Iterable<Item>, describe: (item: Item) => object) {
    this.items = [...items].sort((a, b) => (a.apiName < b.apiName ? -1 : 1))
    this.#describe = describe
  }

  findByRid(rid: string): Item | undefined {
    this.#byRid ??= new Map(this.items.map((item) => [item.rid, item]))
    return this.#byRid.get(rid)
  }

  describe(item: Item): Description {
    let description = this.#descriptions.get(item)
    if (description === undefined) {
      const json = JSON.stringify(this.#describe(item))
      description = { json, bytes: Buffer.byteLength(json), etag: etagOfBytes(json) }
      this.#descriptions.set(item, description)
    }
    return description
  }
}
