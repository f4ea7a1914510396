import { describe, expect, it } from 'vitest'
import type { CellKind, Row } from '../../formats/row.ts'
import { existingTypeOptions } from '../import/existing-type.ts'
import { widenType } from '../import/widen-type.ts'
import type { InferredType } from './infer-type.ts'
import { inferrer } from './inferrer.ts'

type Cells = Row['cells']

function infer(kind: CellKind, files: Readonly<Record<string, readonly Cells[]>>): InferredType {
  const inference = inferrer()
  for (const [name, rows] of Object.entries(files)) {
    inference.startFile(name)
    inference.add(
      rows.map((cells, index) => ({ line: index + 2, cells })),
      kind,
    )
  }
  return inference.finish('thing')
}

const textsOf = ({ notes }: InferredType) => notes.map(({ text }) => text)

/** Returns the type of a column with these values, and the notes about it. */
function columnOf(kind: CellKind, values: readonly unknown[]) {
  const rows = values.map((value, index) => ({ id: String(index), value }))
  const inferred = infer(kind, { 'things.csv': rows })
  return {
    type: inferred.definition.properties['value']?.type,
    notes: textsOf(inferred).filter((text) => text.startsWith('value: ')),
  }
}

describe('a column without texts', () => {
  it.each([[[[1, null, 3]]], [[{ a: 1 }, [1]]], [[[[1]], [[2]]]]])(
    'never has dates: %j',
    (values) => {
      const { type, notes } = columnOf('json', values)
      expect(type).toBe('string')
      expect(notes.join()).not.toContain('dates')
    },
  )

  it('has no dates either if some values are texts', () => {
    expect(columnOf('json', ['01/02/2024', 5]).type).toBe('string')
    expect(columnOf('json', [5, '31/12/2024']).notes.join()).not.toContain('dates as')
  })
})

describe('a number with a currency sign', () => {
  it.each<[string, string, ...string[]]>([
    ['double', 'with a decimal comma, without their sign €', '1.234,50 €', '12,50 €', '-3,00 €'],
    ['double', 'with a decimal comma, without their sign €', '€ 1.234,50', '€-12,5', '-€ 1'],
    ['double', 'whose commas group digits, without their sign $', '$1,234.50', '-$5', '$ 7.25'],
  ])('is a %s %s', (type, note, ...values) => {
    expect(columnOf('text', values)).toEqual({ type, notes: [`value: numbers ${note}`] })
  })

  it('stays text beside one with another sign', () => {
    expect(columnOf('text', ['12,50 €', '$3.10', '1,00 €'])).toEqual({
      type: 'string',
      notes: [],
    })
    expect(columnOf('text', ['12,50 €', '3,10 £'])).toEqual({
      type: 'string',
      notes: ['value: a string, because its values have several currency signs: €, £'],
    })
  })

  it('decides how the commas of other columns are read', () => {
    const rows = [
      { id: 'a', price: '12,50 €', amount: '1,234' },
      { id: 'b', price: '3,10 €', amount: '5,678' },
    ]
    const { properties } = infer('text', { 'a.csv': rows }).definition
    expect(properties).toMatchObject({ price: { type: 'double' }, amount: { type: 'double' } })
  })
})

describe('a column that is almost a key', () => {
  const rows = Array.from({ length: 3002 }, (_, index) => ({
    id: `k${Math.min(index, 2999)}`,
    group: String(index % 7),
  }))

  it('is named, with a value that is repeated', () => {
    expect(textsOf(infer('text', { 'a.csv': rows }))).toContain(
      'id: almost a key: 3,000 of 3,002 values are distinct; "k2999" is repeated',
    )
  })

  it('is named if a few rows lack a value', () => {
    const some = rows.slice(0, 500).map((row, index) => (index === 7 ? { ...row, id: '' } : row))
    expect(textsOf(infer('text', { 'a.csv': some }))).toContain(
      'id: almost a key: 499 of 500 values are distinct; some rows have none',
    )
  })

  it('is not mentioned beside a key', () => {
    const numbered = rows.map((row, index) => ({ ...row, code: String(index) }))
    const texts = textsOf(infer('text', { 'a.csv': numbered }))
    expect(texts.join()).not.toContain('almost')
    expect(texts).toContain('primary key: code; no other column qualifies')
  })
})

describe('several files', () => {
  const orders = [{ id: '1', total: '12.5' }]
  const customers = [{ id: '7', name: 'Ada', since: '2024-01-01' }]

  it('name the columns that only one of them has', () => {
    const texts = textsOf(infer('text', { 'orders.csv': orders, 'customers.csv': customers }))
    expect(texts).toContain('only in orders.csv: total')
    expect(texts).toContain('only in customers.csv: name, since')
  })

  it('with the same columns need no note', () => {
    const texts = textsOf(infer('text', { 'a.csv': orders, 'b.csv': [{ id: '2', total: '1' }] }))
    expect(texts.join()).not.toContain('only in')
  })

  it('are refused if one shares no column with the others', () => {
    const files = { 'orders.csv': orders, 'more.csv': orders, 'colours.csv': [{ colour: 'red' }] }
    expect(() => infer('text', files)).toThrow('colours.csv has no column in common')
  })
})

it('columns can have names that all objects have', () => {
  const name = 'constructor'
  const inferred = infer('json', { 'a.json': [{ id: 'a', [name]: 'x' }, { id: 'b' }] })
  expect(inferred.definition.properties[name]).toEqual({ type: 'string' })
  const stored = {
    apiName: 'thing',
    primaryKey: 'id',
    properties: { id: { type: 'string' } },
  } as const
  const { definition, changes } = widenType(stored, inferred)
  expect(changes).toEqual(['added constructor: string'])
  const options = existingTypeOptions(definition, inferred, {}, { areNumbersFree: false })
  expect(options.notes).toEqual([])
})
