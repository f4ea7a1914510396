/** Compiles the query tree to SQL over the table of its type, aliased `o`, for PostgreSQL. */
import type { LinkedQuery, Query } from '../../../query/query.ts'
import { combine, negate, type SqlCondition, TRUE } from './sql-condition.ts'

/** The conditions that each database writes in its own way. */
export interface QueryDialect {
  readonly compare: (query: Query & { kind: 'compare' }) => SqlCondition
  readonly isNull: (query: Query & { kind: 'isNull' }) => SqlCondition
  readonly text: (query: Query & { kind: 'text' }) => SqlCondition
  readonly interval: (query: Query & { kind: 'interval' }) => SqlCondition
  readonly geo: (query: Query & { kind: 'geo' }) => SqlCondition
  readonly pattern: (query: Query & { kind: 'pattern' }) => SqlCondition
  readonly oneOf: (query: Query & { kind: 'oneOf' }) => SqlCondition
  readonly objectIds: (ids: readonly string[]) => SqlCondition
  readonly linked: (query: LinkedQuery) => SqlCondition
}

export function compileQuery(query: Query, dialect: QueryDialect): SqlCondition {
  switch (query.kind) {
    case 'everything':
      return TRUE
    case 'and':
    case 'or':
      return combine(
        query.kind,
        query.of.map((one) => compileQuery(one, dialect)),
      )
    case 'not':
      return negate(compileQuery(query.of, dialect))
    case 'compare':
      return dialect.compare(query)
    case 'isNull':
      return dialect.isNull(query)
    case 'text':
      return dialect.text(query)
    case 'interval':
      return dialect.interval(query)
    case 'geo':
      return dialect.geo(query)
    case 'relativeDates':
      throw new Error('relative dates must be resolved before the query reaches a store')
    case 'pattern':
      return dialect.pattern(query)
    case 'oneOf':
      return dialect.oneOf(query)
    case 'objectIds':
      return dialect.objectIds(query.ids)
    case 'linked':
      return dialect.linked(query)
  }
}
