/** A small ontology, its objects, and a model of what policies leave of both. */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'

export type Row = Readonly<Record<string, unknown>>

const typeRid = (name: string) => `ri.ontology.main.object-type.rights-${name}`

export const CALLERS = ['ann', 'bob', 'cy'] as const
const REGIONS = ['north', 'south', 'east'] as const
const WORDS = ['red', 'green', 'blue', 'old', 'new'] as const

export const WORLD: OntologyDefinition = {
  apiName: 'company',
  rid: 'ri.ontology.main.ontology.rights-company',
  families: ['company-family'],
  sharedPropertyTypes: { label: { type: 'string' }, area: { type: 'string' } },
  interfaceTypes: [
    { apiName: 'Named', properties: ['label', { sharedProperty: 'area', required: false }] },
  ],
  objectTypes: [
    {
      apiName: 'employee',
      rid: typeRid('employee'),
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        owner: { type: 'string' },
        region: { type: 'string' },
        salary: { type: 'integer' },
        notes: { type: 'string' },
        skills: { type: 'array', items: { type: 'string' } },
        home: { type: 'geopoint' },
        desk: { type: 'geopoint' },
        address: {
          type: 'struct',
          fields: { city: { type: 'string' }, floor: { type: 'integer' } },
        },
        hired: { type: 'date' },
        managerId: { type: 'string' },
        teamId: { type: 'integer' },
      },
      implements: { Named: { properties: { label: 'name', area: 'region' } } },
    },
    {
      apiName: 'team',
      rid: typeRid('team'),
      primaryKey: 'id',
      titleProperty: 'title',
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        region: { type: 'string' },
        budget: { type: 'double' },
        officeCode: { type: 'string' },
      },
      implements: { Named: { properties: { label: 'title' } } },
    },
    {
      apiName: 'office',
      rid: typeRid('office'),
      primaryKey: 'code',
      properties: {
        code: { type: 'string' },
        label: { type: 'string' },
        owner: { type: 'string' },
        spot: { type: 'geopoint' },
      },
      implements: { Named: {} },
    },
  ],
  linkTypes: [
    {
      apiName: 'manager',
      reverseApiName: 'reports',
      from: 'employee',
      to: 'employee',
      foreignKey: 'managerId',
    },
    {
      apiName: 'team',
      reverseApiName: 'members',
      from: 'employee',
      to: 'team',
      foreignKey: 'teamId',
    },
    {
      apiName: 'office',
      reverseApiName: 'teams',
      from: 'team',
      to: 'office',
      foreignKey: 'officeCode',
    },
  ],
}

/** A fixed sequence of numbers that look random. */
function pick<T>(list: readonly T[], number: number): T {
  return list[((number * 2_654_435_761) >>> 7) % list.length] as T
}

const point = (number: number) => ({
  type: 'Point',
  coordinates: [(number % 7) - 3, (number % 11) - 5],
})

const EMPLOYEES: readonly Row[] = Array.from({ length: 26 }, (_, n) => ({
  id: `e${String(n).padStart(2, '0')}`,
  name: `${pick(WORDS, n)} ${pick(WORDS, n + 31)}`,
  ...(n % 5 === 0 ? {} : { owner: pick(CALLERS, n + 7) }),
  region: pick(REGIONS, n + 3),
  ...(n % 7 === 0 ? {} : { salary: (n * 37) % 11 }),
  notes: `${pick(WORDS, n + 11)} ${pick(WORDS, n + 13)} ${pick(WORDS, n + 17)}`,
  skills: [pick(WORDS, n), pick(WORDS, n + 5)],
  home: point(n),
  ...(n % 3 === 0 ? {} : { desk: point(n * 3 + 1) }),
  address: { city: pick(REGIONS, n + 19), floor: n % 4 },
  hired: `2020-01-${String((n % 28) + 1).padStart(2, '0')}`,
  ...(n > 4 ? { managerId: `e${String(n % 5).padStart(2, '0')}` } : {}),
  teamId: n % 6,
}))

const TEAMS: readonly Row[] = Array.from({ length: 6 }, (_, n) => ({
  id: n,
  title: `${pick(WORDS, n + 2)} team`,
  region: pick(REGIONS, n),
  budget: n * 1.5,
  officeCode: `o${n % 4}`,
}))

const OFFICES: readonly Row[] = Array.from({ length: 4 }, (_, n) => ({
  code: `o${n}`,
  label: `${pick(WORDS, n + 4)} house`,
  owner: pick(CALLERS, n),
  spot: point(n + 2),
}))

export const OBJECTS: ReadonlyMap<string, readonly Row[]> = new Map([
  ['employee', EMPLOYEES],
  ['team', TEAMS],
  ['office', OFFICES],
])

/** A right of the model, with the rule as a function. */
export interface ModelRight {
  /** `*` for all other types. */
  readonly objectType: string
  readonly where?: unknown
  readonly keeps?: (row: Row, caller: string) => boolean
  readonly hide: readonly string[]
}

export type ModelPolicy = readonly ModelRight[]

interface VisibleType {
  readonly rows: readonly Row[]
  readonly hidden: ReadonlySet<string>
}

/** Returns what several policies leave of a type; undefined if they hide it. */
function visibleType(
  name: string,
  policies: readonly ModelPolicy[],
  caller: string,
): VisibleType | undefined {
  const rights = policies.flatMap((policy) => {
    const own = policy.filter(({ objectType }) => objectType === name)
    return own.length > 0 ? own : policy.filter(({ objectType }) => objectType === '*')
  })
  const rows = OBJECTS.get(name) ?? []
  if (rights.length === 0) return undefined
  if (rights.some(({ keeps, hide }) => keeps === undefined && hide.length === 0)) {
    return { rows, hidden: new Set() }
  }
  return {
    rows: rows.filter((row) => rights.some(({ keeps }) => keeps?.(row, caller) ?? true)),
    hidden: new Set(rights.flatMap(({ hide }) => hide)),
  }
}

export interface VisibleWorld {
  readonly definition: OntologyDefinition
  readonly objects: ReadonlyMap<string, readonly Row[]>
}

/** Returns what policies leave of the ontology, as one that contains nothing else. */
export function visibleWorld(
  policies: readonly ModelPolicy[],
  caller: string,
): VisibleWorld | undefined {
  const types = new Map(
    WORLD.objectTypes.flatMap(({ apiName }) => {
      const visible = visibleType(apiName, policies, caller)
      return visible === undefined ? [] : [[apiName, visible] as const]
    }),
  )
  if (types.size === 0) return undefined
  const hides = (type: string, property: string) => types.get(type)?.hidden.has(property) ?? false
  const objectTypes = WORLD.objectTypes
    .filter(({ apiName }) => types.has(apiName))
    .map(({ titleProperty, implements: named, ...type }) => {
      const properties = named?.['Named']?.properties ?? { label: 'label' }
      const used = Object.values(properties)
      const isNamed = !used.some((property) => hides(type.apiName, property))
      return {
        ...type,
        properties: without(type.properties, (name) => hides(type.apiName, name)),
        ...(titleProperty !== undefined &&
          !hides(type.apiName, titleProperty) && { titleProperty }),
        // A limited caller sees all names written out: an interface that gives them may be hidden.
        implements: isNamed ? { Named: { properties, links: {} } } : {},
      }
    })
  const isUsed = objectTypes.some((type) => 'Named' in (type.implements ?? {}))
  const definition = {
    ...WORLD,
    objectTypes,
    linkTypes: WORLD.linkTypes?.filter(
      ({ from, to, foreignKey }) => types.has(from) && types.has(to) && !hides(from, foreignKey),
    ),
    interfaceTypes: isUsed ? WORLD.interfaceTypes : [],
    sharedPropertyTypes: isUsed ? WORLD.sharedPropertyTypes : {},
  } as OntologyDefinition
  const objects = new Map(
    [...types].map(([name, { rows, hidden }]) => [
      name,
      rows.map((row) => without(row, (property) => hidden.has(property))),
    ]),
  )
  return { definition, objects }
}

function without<Value>(
  record: Readonly<Record<string, Value>>,
  isRemoved: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isRemoved(name)))
}
