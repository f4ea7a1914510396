import { describe, expect, it } from 'vitest'
import { compileWhere, OBJECT_SET_SYNTAX } from '../../client/query/compile-where.ts'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import type { OrderTerm } from '../view/view-state.ts'
import { besideCondition, canFindNeighbours } from './neighbours.ts'

const TYPE: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: { id: { type: 'integer' }, size: { type: 'long' }, open: { type: 'boolean' } },
}

interface Query {
  readonly type: string
  readonly field: string
  readonly value: unknown
}

type Row = Readonly<Record<string, unknown>>

/** Evaluates a query as the service does. */
function matches({ type, field, value }: Query, row: Row): boolean {
  if (type === 'and') return (value as Query[]).every((query) => matches(query, row))
  if (type === 'or') return (value as Query[]).some((query) => matches(query, row))
  const found = row[field] as number | undefined
  if (type === 'isNull') return (found === undefined) === value
  if (found === undefined) return false
  if (type === 'eq') return found === value
  return type === 'gt' ? found > Number(value) : found < Number(value)
}

const ROWS: readonly Row[] = [
  { id: 1, size: 5 },
  { id: 2 },
  { id: 3, size: 5 },
  { id: 4, size: 1 },
  { id: 5 },
]

describe('besideCondition', () => {
  const orders: readonly (readonly [readonly OrderTerm[], readonly number[]])[] = [
    [[], [1, 2, 3, 4, 5]],
    [[{ property: 'id', direction: 'desc' }], [5, 4, 3, 2, 1]],
    [[{ property: 'size', direction: 'asc' }], [4, 1, 3, 2, 5]],
    [[{ property: 'size', direction: 'desc' }], [3, 1, 4, 5, 2]],
    [
      [
        { property: 'size', direction: 'desc' },
        { property: 'id', direction: 'asc' },
      ],
      [1, 3, 4, 2, 5],
    ],
  ]
  it.each(orders)('cuts a list at each object: %o', (order, keys) => {
    for (const [index, key] of keys.entries()) {
      const properties = ROWS.find(({ id }) => id === key) ?? {}
      const record = { key, title: undefined, properties }
      const beside = (side: 'before' | 'after') => {
        const condition = besideCondition(TYPE, order, record, side)
        const query = compileWhere([condition], OBJECT_SET_SYNTAX) as unknown as Query
        return keys.filter((other) => matches(query, ROWS[other - 1] ?? {}))
      }
      expect(beside('before')).toEqual(keys.slice(0, index))
      expect(beside('after')).toEqual(keys.slice(index + 1))
    }
  })
})

it('looks for neighbours only where values can be compared', () => {
  expect(canFindNeighbours(TYPE, [])).toBe(true)
  expect(canFindNeighbours(TYPE, [{ property: 'open', direction: 'asc' }])).toBe(false)
})
