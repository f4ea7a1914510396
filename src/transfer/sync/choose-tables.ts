/** Chooses the tables of a sync, and the names of their types. */
import pg from 'pg'
import { freeName, propertyNameOf } from '../columns/column-names.ts'
import { findObstacle } from './infer-tables.ts'
import { type SourceTable, tableName } from './source-tables.ts'

export interface TableChoice {
  /** The name of one table, such as `public.orders`. */
  readonly table?: string | undefined
  /** Patterns of tables, comma-separated, such as `public.*`. */
  readonly tables?: string | undefined
}

/** Returns the tables that a choice names; throws if there are none. */
export function matchTables(
  all: readonly SourceTable[],
  { table, tables = '' }: TableChoice,
): readonly SourceTable[] {
  if (table !== undefined) return [findTable(all, table)]
  const patterns = tables.split(',').map((pattern) => toPattern(pattern.trim()))
  const matching = all.filter((one) => patterns.some((pattern) => pattern.test(tableName(one))))
  const names = new Set(matching.map(tableName))
  // The rows of a partition are those of its table.
  const whole = matching.filter(({ partitionOf = '' }) => !names.has(partitionOf))
  if (whole.length > 0) return whole
  throw new Error(`In the source, no table matches ${tables}. ${listTables(all, tables)}`)
}

/** Returns the tables to copy; throws if the only table, or none of several, can be followed. */
export function chooseTables(
  all: readonly SourceTable[],
  choice: TableChoice,
  onNote: (text: string) => void,
): readonly SourceTable[] {
  const matching = matchTables(all, choice)
  const chosen = withoutObstacles(matching, (table, obstacle) => {
    if (choice.table === undefined) onNote(`${tableName(table)} is left out: it ${obstacle}`)
    else throw new Error(`${tableName(table)} cannot be followed: it ${obstacle}.`)
  })
  if (chosen.length > 0) return chosen
  throw new Error(
    `In the source, no table of ${choice.tables} can be followed. ${listTables(all, '')}`,
  )
}

/** Returns the tables that can be copied and followed. */
export function withoutObstacles(
  tables: readonly SourceTable[],
  onObstacle: (table: SourceTable, obstacle: string) => void,
): readonly SourceTable[] {
  return tables.filter((table) => {
    const obstacle = findObstacle(table) ?? findHiddenRows(table)
    if (obstacle !== undefined) onObstacle(table, obstacle)
    return obstacle === undefined
  })
}

function findHiddenRows({ hiddenFrom }: SourceTable): string | undefined {
  if (hiddenFrom === undefined) return undefined
  const statement = `ALTER ROLE ${pg.escapeIdentifier(hiddenFrom)} BYPASSRLS`
  return `has row-level security, which would hide rows from the copy; run ${statement}`
}

/** Quotes as in SQL are understood, but not needed. */
function findTable(all: readonly SourceTable[], wanted: string): SourceTable {
  const name = wanted.replaceAll(/"((?:[^"]|"")*)"/g, (_, quoted) => quoted.replaceAll('""', '"'))
  const found = [name, `public.${name}`].flatMap(
    (one) => all.find((table) => tableName(table) === one) ?? [],
  )[0]
  if (found !== undefined) return found
  const shown = name.includes('.') ? name : `public.${name}`
  throw new Error(`The source has no table ${shown}. ${listTables(all, shown)}`)
}

const LISTED_TABLES = 20

/** Lists tables, those whose names start like the wanted one first. */
function listTables(all: readonly SourceTable[], wanted: string): string {
  const names = all
    .filter(({ kind, partitionOf }) => /^table|^part/.test(kind) && partitionOf === undefined)
    .map(tableName)
    .sort((a, b) => commonStart(b, wanted) - commonStart(a, wanted))
  const more = names.length - LISTED_TABLES
  const listed = names.slice(0, LISTED_TABLES).join(', ') || 'none'
  return `Its tables are: ${listed}${more > 0 ? `, and ${more} more` : ''}.`
}

function commonStart(name: string, wanted: string): number {
  const at = [...name.toLowerCase()].findIndex((letter, index) => letter !== wanted[index])
  return at === -1 ? name.length : at
}

/** `*` stands for any characters; a pattern without a schema is one of `public`. */
function toPattern(text: string): RegExp {
  const name = text.includes('.') ? text : `public.${text}`
  return new RegExp(`^${name.split('*').map(RegExp.escape).join('.*')}$`)
}

/**
 * Returns the names of types: the names of the tables, and for all but one of those with the same
 * name, that with the schema. Names that need no change, and those of `public`, come first, so that
 * they stay the same when other tables are added.
 */
export function typeNames(tables: readonly SourceTable[]): (table: SourceTable) => string {
  const rank = ({ schema, name }: SourceTable) =>
    (propertyNameOf(name) === name ? 0 : 2) + (schema === 'public' ? 0 : 1)
  const names = new Map<number, string>()
  const taken = new Set<string>()
  for (const { oid, schema, name } of tables.toSorted((a, b) => rank(a) - rank(b))) {
    const own = propertyNameOf(name)
    const free = taken.has(own) ? propertyNameOf(`${schema}_${name}`) : own
    const unique = freeName(free, (one) => taken.has(one))
    taken.add(unique)
    names.set(oid, unique)
  }
  return ({ oid }) => names.get(oid) ?? ''
}
