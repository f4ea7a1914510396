/**
 * Keeps the fields of tables in memory: reading them takes about 5 % of the time of a small page, and
 * more for a type with many properties. They change only together with the generation of the
 * catalogue, which is part of their key, so none is ever outdated.
 */
import { LRUCache } from 'lru-cache'
import type { TableLayout } from '../../core/catalogue/build-table.ts'
import type { SqliteSession } from '../file/sqlite-session.ts'
import { fieldsInLayout, type TableFields } from './table-fields.ts'

/** The number of fields of all tables that are kept; one takes about 500 bytes. */
const MAX_FIELDS = 20_000

/** A type, as of a generation of the catalogue. */
export interface TypeGeneration {
  readonly generation: number
  readonly typeId: number
}

export class KnownFields {
  readonly #session: SqliteSession
  readonly #fields = new LRUCache<string, TableFields>({
    maxSize: MAX_FIELDS,
    sizeCalculation: ({ properties }) => 10 + properties.length,
  })
  /** The fields that were last read with a layout, which stays the same object until a commit. */
  readonly #last = new WeakMap<TableLayout, TypeGeneration & { readonly fields: TableFields }>()

  constructor(session: SqliteSession) {
    this.#session = session
  }

  /** Returns the fields of a type as a table with this layout stores them. */
  read({ generation, typeId }: TypeGeneration, layout: TableLayout): TableFields {
    const last = this.#last.get(layout)
    if (last?.generation === generation && last.typeId === typeId) return last.fields
    const fields = this.#find({ generation, typeId }, layout)
    this.#last.set(layout, { generation, typeId, fields })
    return fields
  }

  #find({ generation, typeId }: TypeGeneration, layout: TableLayout): TableFields {
    const { prefixFields, unindexedFields, indexedVersion } = layout
    const indexes = [...prefixFields, '', ...unindexedFields]
    const key = [generation, typeId, indexedVersion, ...indexes].join(' ')
    const known = this.#fields.get(key)
    if (known !== undefined) return known
    const fields = fieldsInLayout({ session: this.#session }, typeId, layout)
    this.#fields.set(key, fields)
    return fields
  }
}
