import { expect, it } from 'vitest'
import { addWhere, toQuery, type Where } from './where-option.ts'

function read(...texts: readonly string[]): Where {
  return texts.reduce<Where | undefined>((where, text) => addWhere(text, where), undefined) as Where
}

it.each<[readonly string[], unknown]>([
  [['a.eq=1'], { type: 'eq', field: 'properties.a', value: '1' }],
  [['properties.a.b.gt=x=y'], { type: 'gt', field: 'properties.a.b', value: 'x=y' }],
  [['a.isNull=true'], { type: 'isNull', field: 'properties.a', value: true }],
  [
    ['a.neq=1', 'p.a.neq=2'],
    {
      type: 'and',
      value: ['1', '2'].map((value) => ({
        type: 'not',
        value: { type: 'eq', field: 'properties.a', value },
      })),
    },
  ],
  [
    ['a.contains=1', 'a.contains=2', '{"type": "all"}'],
    {
      type: 'and',
      value: [
        { type: 'all' },
        {
          type: 'or',
          value: ['1', '2'].map((value) => ({ type: 'contains', field: 'properties.a', value })),
        },
      ],
    },
  ],
])('%j becomes a query', (texts, query) => {
  expect(toQuery(read(...texts))).toEqual(query)
})

it.each(['x', '=1', 'a=1', '{"type"'])('%s is refused', (text) => {
  expect(() => read(text)).toThrow(/PROPERTY\.OPERATOR=VALUE|not JSON/)
})
