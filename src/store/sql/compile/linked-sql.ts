/**
 * Conditions on linked objects. A link connects rows of two tables with equal values in one column
 * each; the condition on the linked rows is compiled like any other and names its table `o`.
 */
import { microsecondsSql, type PropertySql, prefixSql, suffixSql } from './property-sql.ts'
import type { SqlCondition } from './sql-condition.ts'

export interface LinkedRows {
  /** The table of the linked rows, or another source of rows. */
  readonly table: string
  /** The two properties that are equal. */
  readonly own: PropertySql
  readonly linked: PropertySql
  /** Selects the linked rows. */
  readonly where: SqlCondition
}

/**
 * Gathers the values of all linked rows: best if they are few, or if all of them are needed. The
 * alias must differ from those of nested conditions.
 */
export function gatherLinked(rows: LinkedRows, alias: string): SqlCondition {
  const { sql, values } = withAlias(rows.where, alias)
  const { own, linked, table } = rows
  const gather = (expression: string) =>
    `(SELECT ${aliased(expression, alias)} FROM ${table} AS ${alias} WHERE ${sql})`
  const isFound = `${own.indexed} IN ${gather(indexedForm(own, linked))}`
  if (own.form !== 'prefix') return { sql: isFound, values }
  const isEqual = `${own.value} IN ${gather(linked.value)}`
  return { sql: `(${isFound} AND ${isEqual})`, values: [...values, ...values] }
}

/** Looks up the linked rows of each row: best if they are many, and few rows are looked at. */
export function probeLinked(rows: LinkedRows, alias: string, hint = ''): SqlCondition {
  const { sql, values } = withAlias(rows.where, alias)
  const { own, linked, table } = rows
  const equalParts = [
    `${aliased(linked.indexed, alias)} = ${indexedForm(linked, own)}`,
    ...(linked.suffix === undefined
      ? []
      : [`${aliased(linked.suffix, alias)} = ${suffixSql(own.value)}`]),
    ...(linked.form === 'prefix' ? [`${aliased(linked.value, alias)} = ${own.value}`] : []),
  ].join(' AND ')
  return {
    sql: `EXISTS (SELECT 1 FROM ${table} AS ${alias}${hint} WHERE ${equalParts} AND ${sql})`,
    values,
  }
}

/**
 * Returns the value of a property in the form in which the index of another one holds it. Linked
 * properties have the same type.
 */
function indexedForm({ form }: PropertySql, { value }: PropertySql): string {
  switch (form) {
    case 'value':
      return value
    case 'prefix':
      return prefixSql(value)
    case 'time':
      return microsecondsSql(value)
  }
}

/** Returns the alias of the tables that conditions at a depth name. */
export function linkedAlias(depth: number): string {
  return `l${depth}`
}

/** Renames the table of a condition. The text of a condition contains no values. */
function withAlias({ sql, values }: SqlCondition, alias: string): SqlCondition {
  return { sql: aliased(sql, alias), values }
}

function aliased(sql: string, alias: string): string {
  return sql.replaceAll(/\bo\./g, `${alias}.`)
}
