/**
 * Parses the JSON of an object set into one query per object type. Nothing is materialised: set
 * operations become conditions, and following a link becomes a condition on the linked objects.
 */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  OBJECT_SET_MAX_DEPTH,
  OBJECT_SET_MAX_LINKS,
  OBJECT_SET_MAX_OBJECTS,
} from '../../contract/limits.ts'
import { optional } from '../../contract/schema-parts.ts'
import { findInterfaceType, findObjectType } from '../../ontology/catalogue.ts'
import { OBJECT_RID_PATTERN, objectIdOfRid } from '../../ontology/definition/rid.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { NOTHING } from '../combine-queries.ts'
import { requireText } from '../parse/conditions.ts'
import { QueryBudget, type QueryLimits } from '../parse/query-budget.ts'
import { Name, refTo, type UnionType, unionType, unionTypes } from '../parse/union-type.ts'
import { refuseUnknownMembers, unprocessable } from '../parse/unprocessable.ts'
import { V2_QUERIES } from '../parse/v2-query-language.ts'
import { EVERYTHING, type Query } from '../query.ts'
import { filterParts } from './filter-parts.ts'
import {
  castTo,
  differenceOf,
  entityTypes,
  interfaceParts,
  intersectionOf,
  linkedByInterface,
  linkedTo,
  refuseWithoutTypes,
  type SetPart,
  type SetParts,
  unionOf,
} from './set-parts.ts'

export type { SetPart } from './set-parts.ts'

export interface ObjectSetContext {
  /** The ontology that the caller may see. */
  readonly ontology: Ontology
  readonly limits: QueryLimits
  /** Returns the JSON of a stored set, or undefined if there is none; see `loadReferences`. */
  readonly storedSet: (rid: string) => unknown
  /** Whether a type can have objects that static sets list; every type can if absent. */
  readonly isListed?: (objectType: ObjectType) => boolean
  /** The path of the set in the request; `objectSet` by default. */
  readonly path?: string
}

/** Parses an object set, or throws the error that the client gets. */
export function parseObjectSet(json: unknown, context: ObjectSetContext): readonly SetPart[] {
  const budget = new QueryBudget(context.limits)
  const spendLinks = spender(OBJECT_SET_MAX_LINKS)
  const spendObjects = spender(OBJECT_SET_MAX_OBJECTS)
  const parse = (value: unknown, path: string, depth: number): SetParts => {
    if (!isJsonObject(value) || typeof value['type'] !== 'string') {
      throw unprocessable(path, 'is not an object set: a JSON object with a type')
    }
    if (depth > OBJECT_SET_MAX_DEPTH) {
      throw new ObjectQueryError('QueryDepthExceededLimit', {
        depth,
        depthLimit: OBJECT_SET_MAX_DEPTH,
      })
    }
    budget.spendTerms(1)
    const { type } = value
    const parser = SET_TYPES.get(type)
    if (parser === undefined) throw unknownSetType(type, path)
    refuseUnknownMembers(value, ['type', ...parser.members], path, `an object set of type ${type}`)
    return parser.parse(value, {
      context,
      path,
      budget,
      parseNested: (nested, step) => parse(nested, path + step, depth + 1),
      spendLinks: (count) => spendLinks(count, `${path}.link`),
      spendObjects: (count) => spendObjects(count, `${path}.objects`),
    })
  }
  return parse(json, context.path ?? 'objectSet', 0)
}

/** Returns a function that throws as soon as more than a limit was spent. */
function spender(termsLimit: number): (count: number, parameter: string) => void {
  let spent = 0
  return (count, parameter) => {
    spent += count
    if (spent > termsLimit) {
      throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit, parameter })
    }
  }
}

interface SetTypeParser extends UnionType {
  readonly parse: (members: SetMembers, parsing: SetParsing) => SetParts
}

type SetMembers = Readonly<Record<string, unknown>>

interface SetParsing {
  readonly context: ObjectSetContext
  /** The path of the set in the request: `objectSet.objectSets[2]`. */
  readonly path: string
  readonly budget: QueryBudget
  /** Parses a nested set at a step from this one: `.objectSets[2]`. */
  readonly parseNested: (value: unknown, step: string) => SetParts
  /** Links are limited, because page tokens carry the versions of all linked types. */
  readonly spendLinks: (count: number) => void
  /** Static sets are limited together: references can repeat them any number of times. */
  readonly spendObjects: (count: number) => void
}

export const OBJECT_SET_COMPONENT = 'ObjectSet'

const objectSet = refTo(OBJECT_SET_COMPONENT)
const FILTER = unionType('Filter', { objectSet, where: refTo(V2_QUERIES.component) })
const OPERATION = unionType('Operation', { objectSets: Type.Array(objectSet, { minItems: 1 }) })

/** The types of object sets. */
export const SET_TYPES = unionTypes<SetTypeParser>({
  base: {
    ...unionType('Base', { objectType: Name }),
    parse: ({ objectType }, { context: { ontology }, path }) => {
      const name = requireText(objectType, `${path}.objectType`)
      return [{ objectType: findObjectType(ontology, name), query: EVERYTHING }]
    },
  },
  interfaceBase: {
    ...unionType('InterfaceBase', {
      interfaceType: Name,
      includeAllBaseObjectProperties: optional(Type.Boolean()),
    }),
    parse: (members, { context: { ontology }, path }) => {
      const apiName = requireText(members['interfaceType'], `${path}.interfaceType`)
      const includeAllProperties = readFlag(members, 'includeAllBaseObjectProperties', path)
      const parts = interfaceParts(findInterfaceType(ontology, apiName), EVERYTHING)
      return includeAllProperties ? parts.map((part) => ({ ...part, includeAllProperties })) : parts
    },
  },
  static: {
    ...unionType('Static', {
      objects: Type.Array(Type.String({ pattern: OBJECT_RID_PATTERN }), {
        description: 'RIDs of objects.',
      }),
    }),
    parse: parseStatic,
  },
  reference: {
    ...unionType('Reference', {
      reference: Type.String({
        pattern: '^ri\\.',
        description: 'RID of a temporary object set.',
      }),
    }),
    parse: parseReference,
  },
  filter: { ...FILTER, parse: parseFilter },
  union: { ...OPERATION, parse: combined(unionOf) },
  intersect: { ...OPERATION, parse: combined(intersectionOf) },
  subtract: { ...OPERATION, parse: combined(differenceOf) },
  searchAround: around('SearchAround', 'link', linkedTo),
  interfaceLinkSearchAround: around(
    'InterfaceLinkSearchAround',
    'interfaceLink',
    linkedByInterface,
  ),
  asType: { ...unionType('AsType', { entityType: Name, objectSet }), parse: parseCast },
  asBaseObjectTypes: {
    ...unionType('AsBaseObjectTypes', { objectSet }),
    parse: ({ objectSet: from }, { parseNested }) =>
      parseNested(from, '.objectSet').map(({ objectType, query }) => ({
        objectType,
        query,
      })),
  },
})

/** Set types of the public API that this service does not have. */
const UNSUPPORTED = ['withProperties', 'nearestNeighbors', 'methodInput']

function unknownSetType(type: string, path: string): ObjectQueryError {
  const allowed = [...SET_TYPES.keys()].join(', ')
  return UNSUPPORTED.includes(type)
    ? new ObjectQueryError('UnsupportedObjectSet', { type, parameter: `${path}.type` })
    : new ObjectQueryError('Default:InvalidArgument', {
        parameter: `${path}.type`,
        value: type,
        reason: `is not a type of object sets; allowed types: ${allowed}`,
      })
}

/** A RID does not name its type, so the set has a part for each, most of them without objects. */
function parseStatic(
  { objects }: SetMembers,
  { context, path, spendObjects }: SetParsing,
): SetParts {
  if (!Array.isArray(objects)) throw unprocessable(`${path}.objects`, 'is not a list of RIDs')
  spendObjects(objects.length)
  const ids = objects.map((rid: unknown, index) => {
    const id = typeof rid === 'string' ? objectIdOfRid(rid) : undefined
    if (id === undefined) {
      throw unprocessable(`${path}.objects[${index}]`, 'is not the RID of an object')
    }
    return id
  })
  const query: Query =
    ids.length === 0 ? NOTHING : { kind: 'objectIds', ids: [...new Set(ids)].sort() }
  const { ontology, isListed = () => true } = context
  return [...ontology.objectTypes.values()].map((objectType) => ({
    objectType,
    query: isListed(objectType) ? query : NOTHING,
  }))
}

function parseReference(
  { reference }: SetMembers,
  { context, path, parseNested }: SetParsing,
): SetParts {
  const objectSetRid = requireText(reference, `${path}.reference`)
  const stored = context.storedSet(objectSetRid)
  if (stored === undefined) throw new ObjectQueryError('ObjectSetNotFound', { objectSetRid })
  return parseNested(stored, '.reference')
}

function parseFilter(
  { objectSet, where }: SetMembers,
  { context: { ontology, limits }, path, budget, parseNested }: SetParsing,
): SetParts {
  const set = parseNested(objectSet, '.objectSet')
  return filterParts(set, where, { ontology, limits, budget, path: `${path}.where` })
}

function combined(operation: (sets: readonly SetParts[]) => SetParts): SetTypeParser['parse'] {
  return ({ objectSets }, { path, parseNested }) => {
    if (!Array.isArray(objectSets) || objectSets.length === 0) {
      throw unprocessable(`${path}.objectSets`, 'is not a list of at least one object set')
    }
    const sets = objectSets.map((set, index) => parseNested(set, `.objectSets[${index}]`))
    return refuseWithoutTypes(operation(sets), sets, path)
  }
}

/** Returns the parser of the objects that a link leads to, which `member` names. */
function around(component: string, member: string, follow: typeof linkedTo): SetTypeParser {
  return {
    ...unionType(component, {
      objectSet,
      [member]: Type.String({ minLength: 1, description: 'API name of a link type.' }),
    }),
    parse: (members, { context: { ontology }, path, parseNested, spendLinks }) => {
      const set = parseNested(members['objectSet'], '.objectSet')
      const linked = follow(ontology, set, requireText(members[member], `${path}.${member}`))
      spendLinks(linked.length)
      return unionOf([linked])
    },
  }
}

function parseCast(
  { entityType, objectSet }: SetMembers,
  { context: { ontology }, path, parseNested }: SetParsing,
): SetParts {
  const name = requireText(entityType, `${path}.entityType`)
  const set = parseNested(objectSet, '.objectSet')
  const interfaceType = ontology.interfaceTypes.get(name)
  const types =
    interfaceType === undefined
      ? [{ objectType: findObjectType(ontology, name) }]
      : entityTypes(interfaceType)
  const cast = castTo(set, types)
  return refuseWithoutTypes(cast, [set], path)
}

/** Null means absent, and absent means false. */
function readFlag(members: SetMembers, name: string, path: string): boolean {
  const value = members[name] ?? false
  if (typeof value !== 'boolean') throw unprocessable(`${path}.${name}`, 'is not a boolean')
  return value
}
