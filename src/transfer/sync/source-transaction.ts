/** Collects the changes of one source transaction: per table, the last state of each object. */
import type { PgoutputMessage } from './pgoutput.ts'
import type { RowKey, RowObject, RowReader, TableMapping } from './table-mapping.ts'

/** The last change of an object in a transaction. */
export interface ObjectChange {
  readonly key: RowKey
  /** Undefined if the object was deleted. */
  readonly put: PendingPut | undefined
}

export interface PendingPut extends Pick<RowObject, 'properties' | 'unchanged'> {
  /** The object before the transaction that has the unchanged values; undefined if there was none. */
  readonly previous: RowKey | undefined
}

export interface TypeChanges {
  readonly mapping: TableMapping
  /** Whether all objects from before the transaction are deleted. */
  readonly isTruncated: boolean
  /** By the text of the primary key. */
  readonly objects: ReadonlyMap<string, ObjectChange>
}

/** Values of one transaction that are kept in memory; the source sends it as a whole. */
const MAX_CHARACTERS = 512 * 1024 * 1024

export class SourceTransaction {
  readonly #types = new Map<number, TypeChanges & { objects: Map<string, ObjectChange> }>()
  #characters = 0

  get types(): readonly TypeChanges[] {
    return [...this.#types.values()]
  }

  /** The number of objects that are changed. */
  get size(): number {
    return this.types.reduce((sum, { objects }) => sum + objects.size, 0)
  }

  /** The length of all values. */
  get characters(): number {
    return this.#characters
  }

  add(
    message: Extract<PgoutputMessage, { kind: 'put' | 'delete' }>,
    mapping: TableMapping,
    reader: RowReader,
  ): void {
    const { objects } = this.#changesOf(mapping)
    if (message.kind === 'delete') {
      const key = reader.keyOf(message.old)
      if (key !== undefined) objects.set(key.text, { key, put: undefined })
      return
    }
    this.#count(message.row)
    const object = reader.read(message.row)
    const oldKey = message.old === undefined ? object?.key : reader.keyOf(message.old)
    const earlier = oldKey && objects.get(oldKey.text)?.put
    if (oldKey !== undefined && oldKey.text !== object?.key.text) {
      objects.set(oldKey.text, { key: oldKey, put: undefined })
    }
    if (object === undefined) return
    const { key, properties, unchanged } = object
    objects.set(key.text, {
      key,
      put: merge({ properties, unchanged, previous: oldKey }, earlier),
    })
  }

  truncate(mapping: TableMapping): void {
    this.#types.set(mapping.table.oid, { mapping, isTruncated: true, objects: new Map() })
  }

  #changesOf(mapping: TableMapping) {
    const { oid } = mapping.table
    const found = this.#types.get(oid)
    if (found !== undefined) return found
    const changes = { mapping, isTruncated: false, objects: new Map<string, ObjectChange>() }
    this.#types.set(oid, changes)
    return changes
  }

  #count(row: readonly (string | null | undefined)[]): void {
    for (const value of row) this.#characters += value?.length ?? 0
    if (this.#characters <= MAX_CHARACTERS) return
    throw new Error(
      'A transaction of the source has more than 512 MiB of values. Run the command with --restart to copy the tables again instead.',
    )
  }
}

/** Takes unchanged values from an earlier change of the same transaction, if there is one. */
function merge(put: PendingPut, earlier: PendingPut | undefined): PendingPut {
  if (earlier === undefined || put.unchanged.length === 0) return put
  const properties = { ...put.properties }
  const unchanged = put.unchanged.filter((name) => {
    if (earlier.unchanged.includes(name)) return true
    if (Object.hasOwn(earlier.properties, name)) properties[name] = earlier.properties[name]
    return false
  })
  return { properties, unchanged, previous: earlier.previous }
}
