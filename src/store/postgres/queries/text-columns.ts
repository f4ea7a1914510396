/** Where a table keeps the texts of some fields. */
import type { Field } from '../../../query/query.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { fieldPrefix, type TermPrefix } from '../../sql/text-index.ts'
import { elementColumnOf } from '../catalogue/field-columns.ts'
import type { TypeFields } from './query-tables.ts'

export interface TextColumns {
  /** The prefixes of the terms of the fields in the index. */
  readonly prefixes: readonly TermPrefix[]
  /** The expression of all texts, which are separated by spaces. */
  readonly allTexts: string
  /** Tests whether one of the texts satisfies a condition, which is written for its expression. */
  readonly someText: (test: (text: string) => SqlCondition) => SqlCondition
}

export function textColumns(fields: readonly Field[], tables: TypeFields): TextColumns {
  const columns = fields.map((field) => tables.columnsOf(field))
  const prefixes = columns.map(({ number }) => fieldPrefix(number))
  const values = columns.flatMap(({ valueType, property }) =>
    valueType === 'text' ? [tables.numbers.propertySql(property).value] : [],
  )
  const elements = columns.flatMap(({ elementType, number }) =>
    elementType === 'text' ? [`o.${elementColumnOf(number)}`] : [],
  )
  const [only = ''] = values
  if (values.length === 1 && elements.length === 0) {
    return { prefixes, allTexts: only, someText: (test) => test(only) }
  }
  const texts = [...(values.length > 0 ? [`ARRAY[${values.join(', ')}]`] : []), ...elements]
  const list = texts.join(' || ')
  return {
    prefixes,
    allTexts: `array_to_string(${list}, ' ')`,
    someText: (test) => {
      const { sql, values: bound } = test('listed.text')
      const from = `unnest(${list}) AS listed (text)`
      return { sql: `EXISTS (SELECT 1 FROM ${from} WHERE ${sql})`, values: bound }
    },
  }
}
