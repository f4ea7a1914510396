import { expect, it } from 'vitest'
import { findDefinitionMistakes } from './definition/check-definition.ts'

const withProperty = (property: object, more: object = {}) => ({
  apiName: 'shop',
  objectTypes: [
    { apiName: 'item', primaryKey: 'id', properties: { id: { type: 'string' }, it: property } },
  ],
  ...more,
})
const mistakes = (property: object, more?: object) =>
  findDefinitionMistakes(withProperty(property, more)).map(
    ({ path, reason }) => `${path.replace('objectTypes[0].properties.', '')} ${reason}`,
  )
const constrained = (type: string, ...constraints: readonly object[]) =>
  mistakes({ type, constraints })

it.each<[string, readonly string[], readonly string[]]>([
  [
    'a constraint on another type',
    constrained('boolean', { type: 'length', maximumLength: 1 }),
    ['it.constraints[0] length applies to strings, and this has type boolean'],
  ],
  [
    'a member of another constraint',
    constrained('string', { type: 'uuid', pattern: 'a' }),
    ['it.constraints[0].pattern is no member of the constraint uuid: it has none'],
  ],
  [
    'an option of another type',
    constrained('integer', { type: 'enum', options: [1, 'x'] }),
    ['it.constraints[0].options[1] is not an integer'],
  ],
  [
    'no options',
    constrained('integer', { type: 'enum' }),
    ['it.constraints[0].options is missing'],
  ],
  [
    'a bound of another type',
    constrained('date', { type: 'range', minimumValue: 5 }),
    ['it.constraints[0].minimumValue is not a date: YYYY-MM-DD'],
  ],
  [
    'no bound',
    constrained('date', { type: 'range' }),
    ['it.constraints[0] needs a minimum, a maximum, or both'],
  ],
  [
    'a range without values',
    constrained('integer', { type: 'range', minimumValue: 2, maximumValue: 1 }),
    ['it.constraints[0] no value satisfies it: the minimum is above the maximum'],
  ],
  [
    'a length without values',
    constrained('string', { type: 'length', minimumLength: 2, maximumLength: 1 }),
    ['it.constraints[0] no value satisfies it: the minimum is above the maximum'],
  ],
  [
    'an unknown value type',
    mistakes({ type: 'string', valueType: 'email' }),
    ['it.valueType the ontology has no value type email'],
  ],
  [
    'a value type of another type',
    mistakes(
      { type: 'integer', valueType: 'email' },
      { valueTypes: [{ apiName: 'email', baseType: { type: 'string' } }] },
    ),
    ['it.valueType email is a type of string, but the property has type integer'],
  ],
  [
    'a default of another type',
    mistakes({ type: 'integer', default: { type: 'staticValue', value: 'x' } }),
    ['it.default.value is not an integer'],
  ],
  [
    'a default without value',
    mistakes({ type: 'integer', default: { type: 'staticValue' } }),
    ['it.default.value is missing'],
  ],
  [
    'a computed default of another type',
    mistakes({ type: 'integer', default: { type: 'currentTime' } }),
    ['it.default currentTime is a timestamp or a date, and this has type integer'],
  ],
  [
    'a default that violates',
    mistakes({
      type: 'integer',
      default: { type: 'staticValue', value: 9 },
      constraints: [{ type: 'range', maximumValue: 5 }],
    }),
    ['it.default.value violates the constraint range: it is above the maximum 5'],
  ],
  [
    'a field that is missing',
    mistakes({
      type: 'struct',
      fields: { a: { type: 'string' } },
      constraints: [{ type: 'struct', properties: { b: 'email' } }],
    }),
    ['it.constraints[0].properties.b is not a field of this struct'],
  ],
])('refuses %s', (_, found, expected) => {
  expect(found).toEqual(expected)
})

it('refuses a pattern that RE2 does not know', () => {
  const [mistake] = constrained('string', { type: 'regex', pattern: 'a(?=b)' })
  expect(mistake).toMatch(/^it\.constraints\[0\]\.pattern is not a regular expression of RE2/)
})

it('lists every mistake', () => {
  const found = constrained('string', { type: 'range' }, { type: 'regex' }, { type: 'array' })
  expect(found).toHaveLength(3)
})

it('accepts value types that structs name', () => {
  const valueTypes = [
    {
      apiName: 'address',
      baseType: { type: 'struct', fields: { mail: { type: 'string' } } },
      constraints: [{ type: 'struct', properties: { mail: 'email' } }],
    },
    {
      apiName: 'email',
      baseType: { type: 'string' },
      constraints: [{ type: 'regex', pattern: '.+@.+' }],
    },
  ]
  const property = { type: 'struct', fields: { mail: { type: 'string' } }, valueType: 'address' }
  expect(mistakes(property, { valueTypes })).toEqual([])
})
