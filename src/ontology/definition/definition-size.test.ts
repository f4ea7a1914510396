import { describe, expect, it } from 'vitest'
import { DEFINITION_MAX_FIELDS } from '../../contract/limits.ts'
import { refuseLargeDefinition } from './definition-size.ts'

const members = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]))

const string = { type: 'string' }
const struct = (fields: number) => ({ type: 'struct', fields: members(fields, string) })

describe('the size of a definition', () => {
  it('counts properties and struct fields, including those in arrays', () => {
    // Half of the limit as properties, the other half as struct fields.
    const half = DEFINITION_MAX_FIELDS / 2
    const items = struct(999)
    const structs = members(half / 1000, { type: 'array', items })
    const full = { objectTypes: [{ properties: members(half, string) }, { properties: structs }] }
    refuseLargeDefinition(full)
    const more = { objectTypes: [...full.objectTypes, { properties: { one: string } }] }
    const reason = expect.stringContaining(String(DEFINITION_MAX_FIELDS + 1))
    expect(() => refuseLargeDefinition(more)).toThrow(
      expect.objectContaining({
        errorName: 'InvalidOntologyDefinition',
        parameters: { mistakes: [{ path: 'objectTypes', reason }] },
      }),
    )
  })

  it.each([
    undefined,
    null,
    'text',
    [],
    { objectTypes: null },
    { objectTypes: [null, 1, { properties: [{ fields: 'x', items: [] }] }] },
  ])('is of no matter in what is no definition: %j', (json) => {
    refuseLargeDefinition(json)
  })
})
