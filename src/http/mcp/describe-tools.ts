/** The tools that show which types there are, and what each has. */
import { Type } from 'typebox'
import { visibleOntologies } from '../../access/policies/visible-ontologies.ts'
import { text } from '../../contract/schema-parts.ts'
import { outgoingLinks } from '../../ontology/definition/links.ts'
import {
  type PropertyType,
  type ScalarType,
  typeName,
} from '../../ontology/definition/property-type.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { isEquatable, isOrdered, isText } from '../../query/resolve-field.ts'
import { openOntology, openType, tool, typeArguments } from './tool.ts'

/** The number of types or ontologies in one answer. */
const LISTED = 100

export const listTypes = tool({
  name: 'list_types',
  title: 'List object types',
  description:
    'Lists the object types of an ontology, with what each is about. Without arguments, lists the ontologies, or the types of the only one.',
  input: {
    ontology: Type.Optional(text('API name of an ontology.')),
    contains: Type.Optional(text('Only types with this text in their name or description.')),
  },
  run: async ({ ontology, contains = '' }, call) => {
    if (ontology !== undefined) return typesOf(await openOntology(call, ontology), contains)
    const { request, services } = call
    const visible = await visibleOntologies(request, services)
    const [only, ...others] = visible
    if (only !== undefined && others.length === 0) {
      return typesOf(await openOntology(call, only.apiName), contains)
    }
    const rids = new Set(visible.map(({ rid }) => rid))
    const summaries = await services.store.readOntologySummaries()
    const ontologies = summaries
      .filter(({ rid, ...summary }) => rids.has(rid) && hasText(summary, contains))
      .map(({ apiName, displayName, description }) => ({ apiName, displayName, description }))
    const next = 'Call list_types with one of these ontologies.'
    return { ...listed('ontologies', ontologies), next }
  },
})

function typesOf({ apiName, definition }: Ontology, contains: string): object {
  const types = definition.objectTypes
    .filter((type) => hasText(type, contains))
    .map((type) => {
      const { displayName, description } = type
      return { apiName: type.apiName, displayName, description: shortText(description) }
    })
  return { ontology: apiName, ...listed('objectTypes', types) }
}

interface Named {
  readonly apiName: string
  readonly displayName?: string | undefined
  readonly description?: string | undefined
}

function hasText({ apiName, displayName = '', description = '' }: Named, text: string): boolean {
  const searched = `${apiName}\n${displayName}\n${description}`.toLowerCase()
  return searched.includes(text.toLowerCase())
}

function listed(name: string, items: readonly object[]): object {
  const more = items.length - LISTED
  if (more <= 0) return { [name]: items }
  const note = `${more} more are not shown; find them with "contains".`
  return { [name]: items.slice(0, LISTED), note }
}

const SHORT_TEXT = 200

function shortText(text: string | undefined): string | undefined {
  return text === undefined || text.length <= SHORT_TEXT ? text : `${text.slice(0, SHORT_TEXT)}…`
}

export const describeType = tool({
  name: 'describe_type',
  title: 'Describe an object type',
  description:
    'Describes an object type: its primary key, its properties with the conditions that `where` supports for each, and its links to other types.',
  input: typeArguments,
  run: async (args, call) => {
    const { ontology, objectType } = await openType(call, args)
    return describe(ontology, objectType)
  },
})

function describe(ontology: Ontology, objectType: ObjectType): object {
  const { apiName, primaryKey, titleProperty, properties } = objectType
  const written = ontology.definition.objectTypes.find((type) => type.apiName === apiName)
  const conditions = new Map<string, readonly string[]>()
  for (const { type } of properties.values()) addConditions(type, false, conditions)
  return {
    objectType: apiName,
    displayName: written?.displayName,
    description: written?.description,
    primaryKey: primaryKey.apiName,
    titleProperty,
    properties: [...properties.values()].map(({ apiName: name, type }) => {
      const { displayName, description } = written?.properties[name] ?? {}
      return { name, type: typeName(type), displayName, description: shortText(description) }
    }),
    conditionsByType: Object.fromEntries(conditions),
    links: outgoingLinks(ontology, objectType).map((side) => ({
      name: side.apiName,
      objectType: side.linkedType.apiName,
      cardinality: side.cardinality,
    })),
    notes: NOTES,
  }
}

const NOTES = [
  'A field of a struct is written with periods: "address.city".',
  '"words" of search_objects searches all texts of an object.',
]

/** Adds the conditions that `where` supports for a type, or for the fields of a struct. */
function addConditions(
  type: PropertyType,
  isMultiValued: boolean,
  conditions: Map<string, readonly string[]>,
): void {
  if (type.kind === 'array') addConditions(type.items, true, conditions)
  else if (type.kind === 'struct') {
    for (const field of type.fields.values()) addConditions(field, isMultiValued, conditions)
  } else {
    const name = isMultiValued ? `array of ${type.type}` : type.type
    conditions.set(name, conditionsFor(type.type, isMultiValued))
  }
}

/** Returns the query types of `where` that a property supports. A test tries each. */
function conditionsFor(type: ScalarType, isMultiValued: boolean): readonly string[] {
  const resolved = { field: { property: '', structField: undefined }, type, isMultiValued }
  return [
    ...(isEquatable(resolved) ? (isMultiValued ? ['contains'] : ['eq', 'in']) : []),
    ...(isOrdered(resolved) && !isMultiValued ? ['lt', 'lte', 'gt', 'gte'] : []),
    ...(isText(resolved) ? TEXT_CONDITIONS : []),
    ...(isMultiValued ? [] : (CONDITIONS_OF[type] ?? [])),
    'isNull',
  ]
}

const TEXT_CONDITIONS = [
  'containsAllTerms',
  'containsAnyTerm',
  'containsAllTermsInOrder',
  'containsAllTermsInOrderPrefixLastTerm',
  'wildcard',
  'regex',
]

const CONDITIONS_OF: Partial<Record<ScalarType, readonly string[]>> = {
  date: ['relativeDateRange'],
  timestamp: ['relativeDateRange'],
  geopoint: ['withinDistanceOf', 'withinBoundingBox', 'withinPolygon'],
  geoshape: ['intersectsBoundingBox', 'withinBoundingBox', 'intersectsPolygon', 'withinPolygon'],
}
