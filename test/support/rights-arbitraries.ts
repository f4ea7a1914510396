/** Random policies. */
import fc from 'fast-check'
import { CALLERS, type ModelPolicy, type ModelRight, OBJECTS, WORLD } from './rights-world.ts'

type Rule = Pick<ModelRight, 'where' | 'keeps'>

const eq = (field: string, value: unknown) => ({ type: 'eq', field, value })

/** Rules by type. Some use properties that a policy may hide. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  employee: [
    { where: eq('owner', '$caller.name'), keeps: (row, caller) => row['owner'] === caller },
    {
      where: { type: 'in', field: 'owner', value: ['$caller.name', 'bob'] },
      keeps: (row, caller) => row['owner'] === caller || row['owner'] === 'bob',
    },
    { where: eq('region', 'north'), keeps: (row) => row['region'] === 'north' },
    {
      where: { type: 'not', value: eq('owner', '$caller.name') },
      keeps: (row, caller) => row['owner'] !== caller,
    },
    {
      where: { type: 'lt', field: 'salary', value: 5 },
      keeps: ({ salary }) => typeof salary === 'number' && salary < 5,
    },
    {
      where: { type: 'isNull', field: 'salary', value: true },
      keeps: ({ salary }) => salary === undefined,
    },
    {
      where: { type: 'containsAnyTerm', field: 'notes', value: 'red blue' },
      keeps: ({ notes }) => /\b(?:red|blue)\b/.test(String(notes)),
    },
    {
      where: { type: 'contains', field: 'skills', value: 'old' },
      keeps: ({ skills }) => (skills as string[]).includes('old'),
    },
    {
      where: {
        type: 'or',
        value: [
          eq('region', 'south'),
          { type: 'and', value: [eq('teamId', 1), eq('owner', 'cy')] },
        ],
      },
      keeps: ({ region, teamId, owner }) => region === 'south' || (teamId === 1 && owner === 'cy'),
    },
    { where: eq('id', 'e03'), keeps: ({ id }) => id === 'e03' },
  ],
  team: [
    { where: eq('region', 'south'), keeps: ({ region }) => region === 'south' },
    {
      where: { type: 'gte', field: 'budget', value: 3 },
      keeps: ({ budget }) => Number(budget) >= 3,
    },
    {
      where: { type: 'in', field: 'id', value: [1, 2, 5] },
      keeps: ({ id }) => [1, 2, 5].includes(Number(id)),
    },
  ],
  office: [
    { where: eq('owner', '$caller.name'), keeps: (row, caller) => row['owner'] === caller },
    { where: { type: 'not', value: eq('code', 'o1') }, keeps: ({ code }) => code !== 'o1' },
  ],
}

export const propertiesOf = (name: string): string[] =>
  Object.keys(WORLD.objectTypes.find(({ apiName }) => apiName === name)?.properties ?? {})
export const keyOf = (name: string): string =>
  WORLD.objectTypes.find(({ apiName }) => apiName === name)?.primaryKey ?? ''

export const TYPES = [...OBJECTS.keys()]

const rightsOf = (objectType: string): fc.Arbitrary<ModelRight> =>
  fc
    .record({
      rule: fc.option(fc.constantFrom(...(RULES[objectType] ?? [])), { nil: undefined, freq: 4 }),
      hide: fc.subarray(
        propertiesOf(objectType).filter((name) => name !== keyOf(objectType)),
        { maxLength: 3 },
      ),
      hides: fc.boolean(),
    })
    .map(({ rule, hide, hides }) => ({ objectType, ...rule, hide: hides ? hide : [] }))

const policies: fc.Arbitrary<ModelPolicy> = fc
  .tuple(
    fc.boolean(),
    fc.tuple(
      ...TYPES.map((type) =>
        fc.oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          { weight: 6, arbitrary: fc.array(rightsOf(type), { minLength: 1, maxLength: 2 }) },
        ),
      ),
    ),
  )
  .map(([hasOthers, named]) => [
    ...named.flat(),
    ...(hasOthers ? [{ objectType: '*', hide: [] }] : []),
  ])

/** A caller with one or two policies. */
export interface LimitedCaller {
  readonly name: string
  readonly policies: readonly ModelPolicy[]
}

export const limitedCallers: fc.Arbitrary<LimitedCaller> = fc.record({
  name: fc.constantFrom(...CALLERS),
  policies: fc.array(policies, { minLength: 1, maxLength: 2 }),
})
