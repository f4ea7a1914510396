import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { changesOf } from '../view/differences.ts'
import { valueChecker } from './check-values.ts'
import { draftOf, mergeChanges, patchBetween, readDraft, readJson } from './object-draft.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'item',
  rid: 'r',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    note: { type: 'string' },
    made: { type: 'date' },
    stock: { type: 'long' },
    price: { type: 'double' },
    isNew: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    size: { type: 'struct', fields: { width: { type: 'integer' }, unit: { type: 'string' } } },
  },
}
const check = valueChecker(objectType)
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
    expect(readDraft(objectType, draftOf(objectType, item), check)).toEqual({
      properties: item,
      mistakes: {},
    })
  })

  it('reads an empty text as a missing value, and names what is wrong', () => {
    const draft = { ...draftOf(objectType, item), id: '', price: '', tags: '[' }
    const { properties, mistakes } = readDraft(objectType, draft, check)
    expect(properties).not.toHaveProperty('price')
    expect(Object.keys(mistakes).toSorted()).toEqual(['id', 'tags'])
  })

  it('keeps what was not touched: an empty text, and a property that the type has since', () => {
    const base = { ...item, note: '', added: 1 }
    const draft = draftOf(objectType, base)
    expect(readDraft(objectType, draft, check, base).properties).toEqual(base)
    expect(readDraft(objectType, { ...draft, note: ' ' }, check, base).properties['note']).toBe(' ')
  })

  it('reads spaces in the field of a number as a missing value', () => {
    const draft = { ...draftOf(objectType, item), price: '  ' }
    expect(readDraft(objectType, draft, check, item).properties).not.toHaveProperty('price')
  })
})

describe('what the service would refuse', () => {
  const wrong = {
    made: '15.03.2020',
    stock: '1.5',
    price: 'x',
    size: { width: 'wide' },
    tags: ['y', 1],
  }
  const mistakes = {
    made: 'This is not a date: YYYY-MM-DD.',
    stock: 'This is not a long.',
    price: 'This is not a double.',
    size: '.width is not an integer.',
    tags: '[1] is not a string.',
  }

  it('is named at its property, in the form', () => {
    const draft = draftOf(objectType, { ...item, ...wrong })
    expect(readDraft(objectType, draft, check, item).mistakes).toEqual(mistakes)
    expect(
      readDraft(objectType, { ...draft, made: '2020-03-15' }, check).mistakes,
    ).not.toHaveProperty('made')
  })

  it('is named at its property, in JSON', () => {
    const json = JSON.stringify({ ...item, ...wrong, colour: 'red' })
    expect(readJson(objectType, json, check, item).mistakes).toEqual({
      ...mistakes,
      colour: 'This is not a property of the type.',
    })
    expect(readJson(objectType, '{"id": "b"}', check, item).mistakes).toEqual({
      id: 'The key of an object cannot change.',
    })
    expect(readJson(objectType, '[]', check).mistakes).toEqual({
      json: 'This is not a JSON object.',
    })
  })

  it('is not looked for where nothing was changed', () => {
    const base = { ...item, made: 'stored long ago' }
    expect(readDraft(objectType, draftOf(objectType, base), check, base).mistakes).toEqual({})
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

describe('a draft of a type with constraints', () => {
  const valueTypes = [
    {
      apiName: 'email',
      baseType: { type: 'string' as const },
      constraints: [{ type: 'regex' as const, pattern: '.+@.+' }],
    },
  ]
  const customer: ObjectTypeDefinition = {
    apiName: 'customer',
    rid: 'c',
    primaryKey: 'id',
    properties: {
      id: { type: 'string', default: { type: 'uniqueIdentifier' } },
      email: { type: 'string', valueType: 'email', required: true },
      score: { type: 'integer', constraints: [{ type: 'range', maximumValue: 100 }] },
    },
  }
  const checkCustomer = valueChecker(customer, valueTypes)
  const read = (texts: object) =>
    readDraft(customer, { ...draftOf(customer, {}), ...texts }, checkCustomer).mistakes

  it('names what is required, and what violates a constraint', () => {
    expect(read({})).toEqual({ email: 'This is required.' })
    expect(read({ email: 'ada', score: '101' })).toEqual({
      email: 'This does not match the pattern .+@.+.',
      score: 'This is above the maximum 100.',
    })
    expect(read({ email: 'a@b', score: '100' })).toEqual({})
  })

  it('is checked alike as JSON', () => {
    const json = JSON.stringify({ score: 101 })
    expect(readJson(customer, json, checkCustomer).mistakes).toEqual({
      email: 'This is required.',
      score: 'This is above the maximum 100.',
    })
  })
})
