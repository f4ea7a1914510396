/**
 * Conditions on linked objects. A link connects rows of two tables with equal values in one column
 * each; the condition on the linked rows is compiled like any other and names its table `o`.
 */
import { columnOf } from './field-numbers.ts'
import type { SqlCondition } from './sql-condition.ts'

export interface LinkedRows {
  /** The table of the linked rows, or another source of rows. */
  readonly table: string
  /** The field numbers of the two properties that are equal. */
  readonly ownField: number
  readonly linkedField: number
  /** Selects the linked rows. */
  readonly where: SqlCondition
}

/**
 * Gathers the values of all linked rows: best if they are few, or if all of them are needed. The
 * alias must differ from those of nested conditions.
 */
export function gatherLinked(rows: LinkedRows, alias: string): SqlCondition {
  const { sql, values } = withAlias(rows.where, alias)
  const gathered = `SELECT ${alias}.${columnOf(rows.linkedField)} FROM ${rows.table} AS ${alias}`
  return { sql: `o.${columnOf(rows.ownField)} IN (${gathered} WHERE ${sql})`, values }
}

/** Looks up the linked rows of each row: best if they are many, and few rows are looked at. */
export function probeLinked(rows: LinkedRows, alias: string, hint = ''): SqlCondition {
  const { sql, values } = withAlias(rows.where, alias)
  const equal = `${alias}.${columnOf(rows.linkedField)} = o.${columnOf(rows.ownField)}`
  return {
    sql: `EXISTS (SELECT 1 FROM ${rows.table} AS ${alias}${hint} WHERE ${equal} AND ${sql})`,
    values,
  }
}

/** Returns the alias of the tables that conditions at a depth name. */
export function linkedAlias(depth: number): string {
  return `l${depth}`
}

/** Renames the table of a condition. The text of a condition contains no values. */
function withAlias({ sql, values }: SqlCondition, alias: string): SqlCondition {
  return { sql: sql.replaceAll(/\bo\./g, `${alias}.`), values }
}
