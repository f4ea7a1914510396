import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { changesOf } from '../view/differences.ts'
import { draftOf, mergeChanges, patchBetween, readDraft } from './object-draft.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'item',
  rid: 'r',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    note: { type: 'string' },
    stock: { type: 'long' },
    price: { type: 'double' },
    isNew: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    size: { type: 'struct', fields: { width: { type: 'integer' }, unit: { type: 'string' } } },
  },
}
const item = {
  id: 'a',
  stock: '9007199254740993',
  price: 1.5,
  isNew: false,
  tags: ['x'],
  size: { width: 1, unit: 'cm' },
}

describe('a draft', () => {
  it('reads back as the object that it was made of', () => {
    expect(readDraft(objectType, draftOf(objectType, item))).toEqual({
      properties: item,
      mistakes: {},
    })
  })

  it('reads an empty text as a missing value, and names what is wrong', () => {
    const draft = { ...draftOf(objectType, item), id: '', price: '', tags: '[' }
    const { properties, mistakes } = readDraft(objectType, draft)
    expect(properties).not.toHaveProperty('price')
    expect(Object.keys(mistakes).toSorted()).toEqual(['id', 'tags'])
  })

  it('keeps what was not touched: an empty text, and a property that the type has since', () => {
    const base = { ...item, note: '', added: 1 }
    const draft = draftOf(objectType, base)
    expect(readDraft(objectType, draft, base).properties).toEqual(base)
    expect(readDraft(objectType, { ...draft, note: ' ' }, base).properties['note']).toBe(' ')
  })

  it('reads spaces in the field of a number as a missing value', () => {
    const draft = { ...draftOf(objectType, item), price: '  ' }
    expect(readDraft(objectType, draft, item).properties).not.toHaveProperty('price')
  })
})

it('lists only what differs, whatever the order of members', () => {
  const after = { ...item, size: { unit: 'cm', width: 1 }, price: 2 }
  expect(changesOf(objectType, item, after)).toEqual([
    { property: 'price', before: 1.5, after: 2, kind: 'changed' },
  ])
})

it('patches only what differs, and removes what is gone', () => {
  const after = { id: 'a', stock: '1', price: 1.5, isNew: false, tags: [], size: { width: 1 } }
  expect(patchBetween(item, after)).toEqual({ stock: '1', tags: [], size: { unit: null } })
  expect(patchBetween(item, { ...item, price: undefined })).toEqual({ price: null })
})

it('merges the changes of two people, and keeps mine where both changed a value', () => {
  const { tags: _, ...mine } = { ...item, price: 2, size: { width: 2, unit: 'cm' } }
  const theirs = { ...item, price: 3, stock: '7', size: { width: 1, unit: 'm' } }
  expect(mergeChanges(item, mine, theirs)).toEqual({
    id: 'a',
    stock: '7',
    price: 2,
    isNew: false,
    size: { width: 2, unit: 'm' },
  })
  const { size: __, ...withoutSize } = item
  expect(mergeChanges(item, mine, withoutSize)['size']).toEqual(mine.size)
})
