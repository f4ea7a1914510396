/** The cells of a row that its test reads: what SQL passes to `is_match`. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { Field, LinkedQuery } from '../../../query/query.ts'
import { resolveField } from '../../../query/resolve-field.ts'
import type { RowReader } from '../../columns/scan/row-test.ts'
import type { FieldValue } from '../../columns/segment/column-builder.ts'
import { listReader, selectFields } from '../../core/columns/feed-fields.ts'
import { jsonPath } from '../../sql/compile/json-path.ts'
import type { BoundValue, SqlCondition } from '../../sql/compile/sql-condition.ts'
import { SQLITE_DIALECT } from '../file/sqlite-session.ts'
import type { QueryTables } from './query-tables.ts'
import type { Cells } from './row-tests.ts'
import { valueForm } from './value-form.ts'

export class RowCells implements RowReader<Cells> {
  readonly objectType: QueryTables['objectType']
  readonly numbers: QueryTables['numbers']
  readonly similarTerms: QueryTables['similarTerms']
  readonly #linkedSql: (query: LinkedQuery) => SqlCondition
  readonly #expressions: string[] = []
  readonly #parameters: BoundValue[] = []
  readonly #places = new Map<string, number>()

  constructor(
    { objectType, numbers, similarTerms }: QueryTables,
    linkedSql: (query: LinkedQuery) => SqlCondition,
  ) {
    this.objectType = objectType
    this.numbers = numbers
    this.similarTerms = similarTerms
    this.#linkedSql = linkedSql
  }

  /** Returns the call of a test, over a table that is aliased `o`. */
  callOf(test: number): SqlCondition {
    return {
      sql: `is_match(${['?', ...this.#expressions].join(', ')})`,
      values: [test, ...this.#parameters],
    }
  }

  values({ property, structField }: Field): (cells: Cells) => FieldValue {
    const resolved = resolveField(this.objectType, property, structField)
    if (resolved === undefined) throw new Error(`no field ${property}`)
    const { type, isMultiValued } = resolved
    if (isMultiValued && type !== undefined) return this.#list({ property, structField }, type)
    const spec = { property, structField, type, isList: false }
    const selected = selectFields([spec], this.numbers, SQLITE_DIALECT, valueForm)
    const at = this.#add({ sql: selected.expressions.join(), values: selected.parameters })
    return (cells: Cells) => selected.read(cells, at)[0]
  }

  hasProperty(property: string) {
    const { indexed } = this.numbers.propertySql(property)
    const at = this.#add({ sql: `${indexed} IS NOT NULL`, values: [] })
    return (cells: Cells) => cells[at] === 1
  }

  propertyJson(property: string) {
    const at = this.#add({ sql: 'o.body -> ?', values: [jsonPath({ property })] })
    return (cells: Cells) => (cells[at] as string | null) ?? undefined
  }

  body() {
    return this.#text('o.body')
  }

  objectId() {
    return this.#text('o.object_id')
  }

  isLinked(query: LinkedQuery) {
    const at = this.#add(this.#linkedSql(query))
    return (cells: Cells) => cells[at] === 1
  }

  /** Reads lists from the body, which tests look at first. */
  #list({ property, structField }: Field, type: ScalarType) {
    const read = listReader({ structField }, type)
    const body = this.body()
    return (cells: Cells) => {
      const values = JSON.parse(body(cells)) as Readonly<Record<string, unknown>>
      return Object.hasOwn(values, property) ? read(values[property]) : undefined
    }
  }

  #text(sql: string) {
    const at = this.#add({ sql, values: [] })
    return (cells: Cells) => cells[at] as string
  }

  /** Returns the place of a cell. Each is passed once. */
  #add({ sql, values }: SqlCondition): number {
    const key = [sql, ...values].join('\0')
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const at = this.#expressions.push(sql) - 1
    this.#parameters.push(...values)
    this.#places.set(key, at)
    return at
  }
}
