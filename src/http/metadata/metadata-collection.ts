/** Metadata as JSON: each item is described once for each version of a definition. */
import { LRUCache } from 'lru-cache'
import { METADATA_CACHE_BYTES } from '../../contract/memory-limits.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { etagOfBytes } from '../response/send-data.ts'

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

/** The number of collections of all APIs. */
const COLLECTIONS = 16

type Descriptions = LRUCache<string, Description>

export class MetadataCollection<Owner extends object, Item extends Named> {
  readonly #spec: CollectionSpec<Owner, Item>
  /**
   * An ontology is replaced when the definition changes, and its lists with it. Callers with other
   * rights see another ontology, which can share an owner but not its items.
   */
  readonly #lists = new WeakMap<Ontology, Map<Owner, MetadataList<Item>>>()
  /** By list and item. Limited in bytes, because there can be many definitions, and views of them. */
  readonly #descriptions: Descriptions = new LRUCache({
    maxSize: METADATA_CACHE_BYTES / COLLECTIONS,
    sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + 200,
  })
  #listCount = 0

  constructor(spec: CollectionSpec<Owner, Item>) {
    this.#spec = spec
  }

  listOf(ontology: Ontology, owner: Owner): MetadataList<Item> {
    const lists = this.#lists.get(ontology) ?? new Map<Owner, MetadataList<Item>>()
    this.#lists.set(ontology, lists)
    let list = lists.get(owner)
    if (list === undefined) {
      this.#listCount += 1
      const [items, describe] = [this.#spec.items(owner, ontology), this.#spec.describer(ontology)]
      list = new MetadataList(items, describe, this.#descriptions, this.#listCount)
      lists.set(owner, list)
    }
    return list
  }
}

export class MetadataList<Item extends Named> {
  /** By name, so that a change of the definition moves no item that it does not touch. */
  readonly items: readonly Item[]
  readonly #describe: (item: Item) => object
  readonly #descriptions: Descriptions
  readonly #number: number
  #byRid: ReadonlyMap<string, Item> | undefined

  constructor(
    items: Iterable<Item>,
    describe: (item: Item) => object,
    descriptions: Descriptions,
    number: number,
  ) {
    this.items = [...items].sort((a, b) => (a.apiName < b.apiName ? -1 : 1))
    this.#describe = describe
    this.#descriptions = descriptions
    this.#number = number
  }

  findByRid(rid: string): Item | undefined {
    this.#byRid ??= new Map(this.items.map((item) => [item.rid, item]))
    return this.#byRid.get(rid)
  }

  describe(item: Item): Description {
    const key = `${this.#number} ${item.apiName} ${item.rid}`
    const known = this.#descriptions.get(key)
    if (known !== undefined) return known
    const json = JSON.stringify(this.#describe(item))
    const description = { json, bytes: Buffer.byteLength(json), etag: etagOfBytes(json) }
    this.#descriptions.set(key, description)
    return description
  }
}
