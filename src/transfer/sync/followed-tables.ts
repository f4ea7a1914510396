/** The tables whose changes are followed, as the stream describes them. */
import type { Relation } from './pgoutput.ts'
import { tableName } from './source-tables.ts'
import { type RowReader, rowReader, type TableMapping } from './table-mapping.ts'
import type { UnfitValues } from './unfit-values.ts'

export interface FollowedTable {
  readonly mapping: TableMapping
  readonly reader: RowReader
}

/** The changes of a table do not have the columns that are known of it. */
export class TableChanged extends Error {
  readonly oid: number
  /** The transaction with the changes; undefined if the table itself was read. */
  readonly commitLsn: bigint | undefined

  constructor({ table }: TableMapping, what: string, commitLsn?: bigint) {
    super(`${tableName(table)} ${what}`)
    this.name = 'TableChanged'
    this.oid = table.oid
    this.commitLsn = commitLsn
  }
}

export class FollowedTables {
  readonly #mappings: ReadonlyMap<number, TableMapping>
  readonly #unfit: UnfitValues
  readonly #relations = new Map<number, Relation>()
  readonly #tables = new Map<number, FollowedTable>()

  constructor(mappings: readonly TableMapping[], { unfit }: { readonly unfit: UnfitValues }) {
    this.#mappings = new Map(mappings.map((mapping) => [mapping.table.oid, mapping]))
    this.#unfit = unfit
  }

  /** Takes the columns of the changes that follow. */
  describe(relation: Relation): void {
    this.#relations.set(relation.id, relation)
    this.#tables.delete(relation.id)
  }

  /**
   * Returns the table of a change; undefined if it is not followed, or if its copy has the change.
   * Throws `TableChanged`.
   */
  find(oid: number, commitLsn: bigint): FollowedTable | undefined {
    const mapping = this.#mappings.get(oid)
    const relation = this.#relations.get(oid)
    if (mapping === undefined || relation === undefined) return undefined
    if (commitLsn < mapping.copiedAt) return undefined
    const known = this.#tables.get(oid)
    if (known !== undefined) return known
    const misfit = findMisfit(mapping, relation)
    if (misfit !== undefined) throw new TableChanged(mapping, misfit, commitLsn)
    const names = relation.columns.map(({ name }) => name)
    const table = { mapping, reader: rowReader(mapping, names, this.#unfit.reporter(mapping)) }
    this.#tables.set(oid, table)
    return table
  }
}

/** Returns what a table has that is not known of it. */
function findMisfit(mapping: TableMapping, { columns, isFull }: Relation): string | undefined {
  const { table, knownNames } = mapping
  const unknown = columns.find(({ name }) => !knownNames.has(name))
  if (unknown !== undefined) return `has a column ${unknown.name}`
  const byName = new Map(columns.map((column) => [column.name, column]))
  const find = (names: readonly string[]) =>
    names.map((name) => byName.get(name)).findLast((column) => column !== undefined)
  const retyped = mapping.columns.find(({ names, typeOid }) => {
    const found = find(names)
    return found !== undefined && found.typeOid !== typeOid
  })
  if (retyped !== undefined) return `has another type for ${retyped.name}`
  const namesOf = new Map(mapping.columns.map(({ name, names }) => [name, names]))
  const keys = columns.filter(({ isKey }) => isKey)
  const isSameKey = keys.length === table.key.length || isFull
  const isKey = (name: string) => find(namesOf.get(name) ?? [name])?.isKey === true
  if (isSameKey && table.key.every(isKey)) return undefined
  return 'has another primary key or replica identity'
}
