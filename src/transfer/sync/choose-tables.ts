/** Chooses the tables of a sync, and the names of their types. */
import { propertyNameOf } from '../columns/column-names.ts'
import { findObstacle } from './infer-tables.ts'
import { type SourceTable, tableName } from './source-tables.ts'

export interface TableChoice {
  /** The name of one table, such as `public.orders`. */
  readonly table?: string | undefined
  /** Patterns of tables, comma-separated, such as `public.*`. */
  readonly tables?: string | undefined
}

/** Throws if the only table, or none of several, can be followed. */
export function chooseTables(
  all: readonly SourceTable[],
  { table, tables = '' }: TableChoice,
  onNote: (text: string) => void,
): readonly SourceTable[] {
  if (table !== undefined) return [chooseTable(all, table)]
  const patterns = tables.split(',').map((pattern) => toPattern(pattern.trim()))
  const matching = all.filter((one) => patterns.some((pattern) => pattern.test(tableName(one))))
  const chosen = matching.filter((one) => {
    const obstacle = findObstacle(one)
    if (obstacle !== undefined) onNote(`${tableName(one)} is left out: it ${obstacle}`)
    return obstacle === undefined
  })
  if (chosen.length > 0) return chosen
  const found = matching.length === 0 ? `no table matches ${tables}` : 'no table can be followed'
  throw new Error(`In the source, ${found}. Its tables are: ${listTables(all)}.`)
}

function chooseTable(all: readonly SourceTable[], wanted: string): SourceTable {
  const name = wanted.includes('.') ? wanted : `public.${wanted}`
  const found = all.find((one) => tableName(one) === name)
  if (found === undefined) {
    throw new Error(`The source has no table ${name}. Its tables are: ${listTables(all)}.`)
  }
  const obstacle = findObstacle(found)
  if (obstacle !== undefined) throw new Error(`${name} cannot be followed: it ${obstacle}.`)
  return found
}

const LISTED_TABLES = 20

function listTables(all: readonly SourceTable[]): string {
  const names = all.slice(0, LISTED_TABLES).map(tableName)
  return [...names, ...(all.length > LISTED_TABLES ? ['…'] : [])].join(', ') || 'none'
}

/** `*` stands for any characters; a pattern without a schema is one of `public`. */
function toPattern(text: string): RegExp {
  const name = text.includes('.') ? text : `public.${text}`
  return new RegExp(`^${name.split('*').map(RegExp.escape).join('.*')}$`)
}

/** Returns the names of types: the names of the tables, with the schema where two have the same. */
export function typeNames(tables: readonly SourceTable[]): (table: SourceTable) => string {
  return (table) => {
    const isUnique = tables.filter(({ name }) => name === table.name).length === 1
    return propertyNameOf(isUnique ? table.name : `${table.schema}_${table.name}`)
  }
}
