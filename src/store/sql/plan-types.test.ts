import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { planTypes, refuseBreakingChanges } from './plan-types.ts'

function type(rid: string, more: Partial<ObjectTypeDefinition> = {}): ObjectTypeDefinition {
  return { rid, apiName: rid, primaryKey: 'k', properties: { k: { type: 'string' } }, ...more }
}

const stored = ['a', 'b', 'c', 'd'].map((rid, index) => ({
  id: index + 1,
  rid,
  definition: JSON.stringify(type(rid)),
}))

describe('saving an ontology', () => {
  it('adds, updates, recreates and drops object types', () => {
    const objectTypes = [
      type('a'),
      type('b', { titleProperty: 'k' }),
      type('c', { displayName: 'C' }),
      type('e'),
    ]
    const steps = planTypes(stored, { apiName: 'o', objectTypes }, [{ typeRid: 'c', reasons: [] }])
    const [unchanged, retitled, recreated] = [false, true, true].map((isChanged, index) => ({
      kind: 'update',
      id: index + 1,
      definition: objectTypes[index],
      isChanged,
      hasNewTitle: index === 1,
      isRecreated: index === 2,
    }))
    expect(steps).toEqual([
      unchanged,
      retitled,
      recreated,
      { kind: 'add', definition: objectTypes[3] },
      { kind: 'drop', id: 4, rid: 'd' },
    ])
  })

  it('is refused only for types that have objects', () => {
    const changes = [
      { typeRid: 'a', reasons: ['one', 'two'] },
      { typeRid: 'b', reasons: ['three'] },
    ]
    refuseBreakingChanges(changes, () => false)
    expect(() => refuseBreakingChanges(changes, (rid) => rid === 'a')).toThrow(
      expect.objectContaining({ parameters: { reasons: ['one', 'two'] } }),
    )
  })
})
