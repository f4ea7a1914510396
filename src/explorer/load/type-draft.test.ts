import { expect, it } from 'vitest'
import { inferrer } from '../../transfer/infer/inferrer.ts'
import { parsedType } from './apply-type.ts'
import { checkSample } from './check-sample.ts'
import {
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  typeChoices,
  typeText,
  withProperty,
  withType,
} from './type-draft.ts'

const rows = [
  { line: 2, cells: { id: '1', 'full name': 'Ada', age: '36', lat: '1.5', lon: '2' } },
  { line: 3, cells: { id: '2', 'full name': 'Bob', age: 'n/a', lat: '3', lon: '4' } },
]

function draft() {
  const infer = inferrer()
  infer.add(rows, 'text')
  return draftOf(infer.finish('person'))
}

it('begins with what was inferred', () => {
  const begun = draft()
  expect(begun.properties.map(({ name, columns }) => [name, columns])).toEqual([
    ['id', ['id']],
    ['fullName', ['full name']],
    ['age', ['age']],
    ['location', ['lat', 'lon']],
  ])
  expect(begun.key).toBe('id')
  const definition = definitionOf(begun)
  expect(definition).toMatchObject({
    apiName: 'person',
    primaryKey: 'id',
    properties: { fullName: { type: 'string', displayName: 'full name' } },
  })
  expect(checkSample(parsedType(definition), columnOptionsOf(begun), rows, 'text')).toEqual({
    misfits: [],
    repeats: [],
  })
})

it('says which rows do not fit a type that the user chose', () => {
  const begun = draft()
  const age = begun.properties.findIndex(({ name }) => name === 'age')
  const property = begun.properties[age]
  if (property === undefined) throw new Error('there is no such property')
  const integer = withType(property, { type: 'integer' })
  const misfitsOf = (chosen: typeof integer) => {
    const changed = withProperty(begun, age, chosen)
    const type = parsedType(definitionOf(changed))
    return checkSample(type, columnOptionsOf(changed), rows, 'text').misfits
  }
  expect(misfitsOf(integer)).toEqual([])
  expect(misfitsOf({ ...integer, keepsNulls: true })).toEqual([
    { line: 3, property: 'age', column: 'age', excerpt: 'n/a', reason: 'is not an integer' },
  ])
})

it('numbers the rows when the key cannot be the key any more', () => {
  const begun = draft()
  const [first] = begun.properties
  if (first === undefined) throw new Error('there is no property')
  for (const next of [withType(first, { type: 'geoshape' }), { ...first, isSkipped: true }]) {
    const changed = withProperty(begun, 0, next)
    expect(changed.key).toBeUndefined()
    expect(definitionOf(changed)).toMatchObject({
      primaryKey: 'row',
      properties: { row: { type: 'integer' } },
    })
    expect(columnOptionsOf(changed)).toMatchObject({ rowNumber: 'row' })
  }
  const another = definitionOf({ ...begun, key: 'fullName' })
  expect(another.properties['id']).toEqual({ type: 'integer' })
})

it('offers the types that a column can have', () => {
  const texts = draft().properties.map((property) => typeChoices(property).map(typeText))
  expect(texts[3]).toEqual(['geopoint'])
  expect(texts[0]).toContain('timestamp')
  expect(texts[0]).toContain('string in english')
})

it('keeps the language of a text', () => {
  const { properties } = draft()
  const [first] = properties
  if (first === undefined) throw new Error('the draft has properties')
  const choice = typeChoices(first).find((each) => typeText(each) === 'string in english')
  if (choice === undefined) throw new Error('texts can have a language')
  expect(withType(first, choice).definition).toEqual({ type: 'string', language: 'english' })
})

it('names what is wrong', () => {
  const begun = draft()
  expect(mistakeInName('')).toBe('Give it a name.')
  expect(mistakeInName('a/b')).toMatch('letters, digits')
  expect(mistakeInProperties(begun)).toBeUndefined()
  expect(
    mistakeInProperties({ ...begun, properties: [...begun.properties, ...begun.properties] }),
  ).toBe('Two properties are called “id”.')
  expect(mistakeInProperties({ ...begun, properties: [] })).toMatch('at least one')
})
