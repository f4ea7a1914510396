import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { PartChange, TypeChange } from '../../ontology/definition/type-change.ts'
import {
  countRewritten,
  type PlannedChange,
  planTypes,
  typesToRewrite,
} from './plan-definition-change.ts'

function type(rid: string, more: Partial<ObjectTypeDefinition> = {}): ObjectTypeDefinition {
  return { rid, apiName: rid, primaryKey: 'k', properties: { k: { type: 'string' } }, ...more }
}

const stored = (objects: number) =>
  ['a', 'b', 'c', 'd'].map((rid, index) => ({
    id: index + 1,
    rid,
    definition: JSON.stringify(type(rid)),
    objects,
    loading: 0,
  }))

function change(rid: string, ...changes: PartChange[]): TypeChange {
  return { typeRid: rid, objectType: rid, changes, renamed: new Map() }
}

const objectTypes = [
  type('a'),
  type('b', { titleProperty: 'k' }),
  type('c', { displayName: 'C' }),
  type('e'),
]
const WIDENED = change('c', { kind: 'widened', property: 'k', rewrites: true })
const LOST = change('c', { kind: 'dropped', property: 'p', rewrites: true })
const DROPPED = change('d', { kind: 'dropped', rewrites: false })

function planned(types: readonly TypeChange[], allowDataLoss = false): PlannedChange {
  return { definition: { apiName: 'o', objectTypes }, types, allowDataLoss }
}

describe('saving an ontology', () => {
  const [unchanged, retitled] = [false, true].map((isChanged, index) => ({
    kind: 'update',
    id: index + 1,
    definition: objectTypes[index],
    isChanged,
    hasNewTitle: isChanged,
  }))
  const added = { kind: 'add', definition: objectTypes[3] }
  const dropped = { kind: 'drop', id: 4 }

  it('adds, updates, recreates and drops types without objects', () => {
    expect(planTypes(stored(0), planned([LOST, DROPPED]))).toEqual([
      unchanged,
      retitled,
      { kind: 'recreate', id: 3, definition: objectTypes[2] },
      added,
      dropped,
    ])
  })

  it('rewrites types that have objects', () => {
    expect(planTypes(stored(7), planned([WIDENED, DROPPED], true))).toEqual([
      unchanged,
      retitled,
      { kind: 'rewrite', id: 3, definition: objectTypes[2], change: WIDENED },
      added,
      dropped,
    ])
  })

  it('refuses to lose values, and names what does it on purpose', () => {
    expect(() => planTypes(stored(1), planned([LOST, DROPPED]))).toThrow(
      expect.objectContaining({
        parameters: {
          reasons: [
            expect.stringMatching(
              /^property c\.p is missing.*c has 1 object\..*allowDataLoss=true/,
            ),
            expect.stringMatching(/^object type d has 1 object.*oqs ontology delete o d\)/),
          ],
        },
      }),
    )
  })

  it('refuses to redefine or drop a type that is being loaded', () => {
    const loading = stored(0).map((one) => ({ ...one, loading: 5 }))
    expect(() => planTypes(loading, planned([WIDENED, DROPPED]))).toThrow(
      expect.objectContaining({
        parameters: {
          reasons: ['c', 'd'].map((name) => expect.stringMatching(`into object type ${name}\\.`)),
        },
      }),
    )
    expect(planTypes(loading, planned([DROPPED], true))).toHaveLength(5)
  })

  it('counts the objects that it rewrites, and prepares types that may get some', () => {
    const both = planned([change('a', ...WIDENED.changes), WIDENED, DROPPED], true)
    expect(countRewritten(stored(7), both)).toBe(14)
    expect(countRewritten(stored(7), planned([DROPPED], true))).toBe(0)
    const [first, second] = typesToRewrite(stored(0), both)
    expect([first?.id, second?.id]).toEqual([1, 3])
    expect(second).toEqual({
      kind: 'rewrite',
      id: 3,
      definition: objectTypes[2],
      change: WIDENED,
    })
  })
})
