/** Where a table keeps the texts of some fields. */
import type { Field } from '../../../query/query.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { fieldPrefix, type TermPrefix } from '../../sql/text-index.ts'
import { elementColumnOf } from '../catalogue/field-columns.ts'
import type { TypeFields } from './query-tables.ts'

export interface TextColumns {
  /** The prefixes of the terms of the fields in the index. */
  readonly prefixes: readonly TermPrefix[]
  /** Tests whether one of the texts satisfies a condition, which is written for its expression. */
  readonly someText: (test: (text: string) => SqlCondition) => SqlCondition
}

export function textColumns(fields: readonly Field[], tables: TypeFields): TextColumns {
  const columns = fields.map((field) => tables.columnsOf(field))
  const [single, ...others] = columns
  const valueOf = (property: string) => tables.numbers.propertySql(property).value
  return {
    prefixes: columns.map(({ number }) => fieldPrefix(number)),
    someText: (test) => {
      if (single?.valueType === 'text' && others.length === 0) return test(valueOf(single.property))
      const values = columns.flatMap(({ valueType, property }) =>
        valueType === 'text' ? [valueOf(property)] : [],
      )
      const elements = columns.flatMap(({ elementType, number }) =>
        elementType === 'text' ? [`o.${elementColumnOf(number)}`] : [],
      )
      const texts = [...(values.length > 0 ? [`ARRAY[${values.join(', ')}]`] : []), ...elements]
      const { sql, values: bound } = test('listed.text')
      // One test for all fields, because a type has many and a statement few bound values.
      return {
        sql: `EXISTS (SELECT 1 FROM unnest(${texts.join(' || ')}) AS listed (text) WHERE ${sql})`,
        values: bound,
      }
    },
  }
}
