/** Random objects of two linked types, and random object sets over them. */
import fc from 'fast-check'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { MODEL_LINKS, type ModelObject, type SetJson } from './object-set-model.ts'

export const OFFICES_AND_PEOPLE: OntologyDefinition = {
  apiName: 'company',
  objectTypes: [
    {
      apiName: 'office',
      primaryKey: 'code',
      properties: {
        code: { type: 'string' },
        floor: { type: 'integer' },
        rank: { type: 'integer' },
      },
    },
    {
      apiName: 'person',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        officeCode: { type: 'string' },
        managerId: { type: 'integer' },
        rank: { type: 'integer' },
        level: { type: 'integer' },
      },
    },
  ],
  linkTypes: [
    {
      apiName: 'office',
      reverseApiName: 'people',
      from: 'person',
      to: 'office',
      foreignKey: 'officeCode',
    },
    {
      apiName: 'manager',
      reverseApiName: 'reports',
      from: 'person',
      to: 'person',
      foreignKey: 'managerId',
    },
  ],
}

export type TypeName = ModelObject['type']

/** One commit: objects to put and keys to delete, of one type. */
export interface CompanyCommit {
  readonly type: TypeName
  readonly puts: readonly Readonly<Record<string, unknown>>[]
  readonly deletes: readonly unknown[]
}

// Few values, so that many objects are linked and many conditions hold.
const codes = fc.constantFrom('A', 'B', 'C', 'D', 'E')
const ids = fc.integer({ min: 1, max: 12 })
const smalls = fc.integer({ min: 0, max: 3 })

const office = fc.record({ code: codes, floor: smalls, rank: smalls }, { requiredKeys: ['code'] })
const person = fc.record(
  { id: ids, officeCode: codes, managerId: ids, rank: smalls, level: smalls },
  { requiredKeys: ['id'] },
)

const commitOf = (
  type: TypeName,
  objects: fc.Arbitrary<object>,
  keys: fc.Arbitrary<unknown>,
): fc.Arbitrary<CompanyCommit> =>
  fc.record({
    type: fc.constant(type),
    puts: fc.array(objects as fc.Arbitrary<Readonly<Record<string, unknown>>>, { maxLength: 10 }),
    deletes: fc.array(keys, { maxLength: 2 }),
  })

export const companyCommits: fc.Arbitrary<readonly CompanyCommit[]> = fc.array(
  fc.oneof(commitOf('office', office, codes), commitOf('person', person, ids)),
  { minLength: 2, maxLength: 6 },
)

const FIELDS: Readonly<Record<TypeName, readonly string[]>> = {
  office: ['floor', 'rank'],
  person: ['rank', 'level'],
}

function wheres(type: TypeName, depth: number): fc.Arbitrary<SetJson> {
  const field = fc.constantFrom(...FIELDS[type])
  // No lower bounds: inverted ranges would be refused.
  const leaves = fc.oneof(
    fc.record({ type: fc.constantFrom('eq', 'lt', 'lte'), field, value: smalls }),
    fc.record({ type: fc.constant('isNull'), field, value: fc.boolean() }),
  )
  if (depth === 0) return leaves
  const inner = wheres(type, depth - 1)
  return fc.oneof(
    leaves,
    fc.record({ type: fc.constant('not'), value: inner }),
    fc.record({
      type: fc.constantFrom('and', 'or'),
      value: fc.array(inner, { minLength: 1, maxLength: 3 }),
    }),
  )
}

/** Random sets of objects of one type. */
export function objectSets(
  type: TypeName,
  rids: readonly string[],
  depth: number,
): fc.Arbitrary<SetJson> {
  const base = fc.constant({ type: 'base', objectType: type })
  if (depth === 0) return base
  const own = objectSets(type, rids, depth - 1)
  const listed = fc.subarray([...rids]).map((objects) => ({
    type: 'intersect',
    objectSets: [
      { type: 'static', objects },
      { type: 'base', objectType: type },
    ],
  }))
  const links = MODEL_LINKS.filter((link) => link.to === type).map(({ name, from }) =>
    objectSets(from, rids, depth - 1).map((objectSet) => ({
      type: 'searchAround',
      objectSet,
      link: name,
    })),
  )
  return fc.oneof(
    { weight: 1, arbitrary: base },
    { weight: 1, arbitrary: listed },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('filter'), objectSet: own, where: wheres(type, 1) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constantFrom('union', 'intersect', 'subtract'),
        objectSets: fc.array(own, { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 4, arbitrary: fc.oneof(...links) },
  )
}
