/** Widens an object type that exists, so that it can hold the rows of another file. */
import { ownValue } from '../../formats/row.ts'
import type {
  FieldDefinition,
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { Mistakes } from '../../ontology/definition/mistakes.ts'
import { parsePropertyType } from '../../ontology/definition/parse-property-type.ts'
import { WHOLE_TYPES } from '../../ontology/definition/property-type.ts'
import { findStructColumns } from '../columns/struct-columns.ts'
import type { InferredType } from '../infer/infer-type.ts'

export interface WidenedType {
  readonly definition: ObjectTypeDefinition
  /** What changes, one line each; empty if the type can hold the rows. */
  readonly changes: readonly string[]
}

/** Adds properties for new columns, and widens those that cannot hold the values. */
export function widenType(
  type: ObjectTypeDefinition,
  { definition, propertyOf, narrowest, wide, columns }: InferredType,
): WidenedType {
  const properties: Record<string, PropertyDefinition> = { ...type.properties }
  const changes: string[] = []
  const geopoints = [...(columns.geopoints ?? new Map()).keys()]
  const inStructs = structColumnsOf(type, [...propertyOf.keys()])
  const own = [...propertyOf].filter(
    ([column, name]) => Object.hasOwn(type.properties, name) || !inStructs.has(column),
  )
  for (const name of [...own.map(([, name]) => name), ...geopoints]) {
    const inferred = ownValue(definition.properties, name)
    const stored = ownValue(type.properties, name)
    if (inferred === undefined || isSpreadOver(name, type, columns)) continue
    if (stored === undefined) {
      properties[name] = inferred
      changes.push(`added ${name}: ${inferred.type}`)
      continue
    }
    if (isNested(stored.type) || isNested(inferred.type)) {
      properties[name] = widenNested(stored, inferred, name, changes)
      continue
    }
    const needed = narrowest.get(name) ?? inferred.type
    const isTooWide = isFloating(stored.type) && wide.has(name)
    const wider = widerType(stored.type, isTooWide ? 'decimal' : needed)
    if (wider === undefined) continue
    const { items, fields, ...scalar } = stored
    properties[name] = { ...scalar, type: wider }
    changes.push(`widened ${name} from ${stored.type} to ${wider}`)
  }
  return { definition: { ...type, properties }, changes }
}

/** Returns the columns that provide fields of structs which the type already has. */
function structColumnsOf(
  { properties }: ObjectTypeDefinition,
  columns: readonly string[],
): ReadonlySet<string> {
  const parsed = Object.entries(properties).flatMap(([apiName, definition]) => {
    const type = parsePropertyType(definition, () => apiName, new Mistakes())
    return type === undefined ? [] : [[apiName, { apiName, type }] as const]
  })
  const structs = findStructColumns({ properties: new Map(parsed) }, columns)
  return new Set([...structs.values()].flat().map(({ column }) => column))
}

/** Adds fields to structs, at any depth, and widens those that cannot hold the values. */
function widenNested<Definition extends FieldDefinition>(
  stored: Definition,
  inferred: FieldDefinition,
  path: string,
  changes: string[],
): Definition {
  if (stored.type === 'array' && inferred.type === 'array' && stored.items && inferred.items) {
    const items = widenNested(stored.items, inferred.items, path, changes)
    return items === stored.items ? stored : { ...stored, items }
  }
  if (stored.type !== 'struct' || inferred.type !== 'struct') {
    const wider = nestedWiderType(stored.type, inferred.type)
    if (wider === undefined) return stored
    changes.push(`widened ${path} from ${stored.type} to ${wider}`)
    return { ...stored, type: wider }
  }
  const fields: Record<string, FieldDefinition> = { ...stored.fields }
  const before = changes.length
  for (const [name, needed] of Object.entries(inferred.fields ?? {})) {
    const field = ownValue(stored.fields ?? {}, name)
    const fieldPath = `${path}.${name}`
    if (field === undefined) changes.push(`added ${fieldPath}: ${needed.type}`)
    fields[name] = field === undefined ? needed : widenNested(field, needed, fieldPath, changes)
  }
  return changes.length === before ? stored : { ...stored, fields }
}

/** An inferred integer may be small, so inside a struct it does not tell that a type is too narrow. */
function nestedWiderType(stored: Type, needed: Type): Type | undefined {
  return WHOLE.includes(stored) && needed === 'integer' ? undefined : widerType(stored, needed)
}

function isNested(type: Type): boolean {
  return type === 'array' || type === 'struct'
}

/** Returns whether the type has a property for each of the two columns of a geopoint. */
function isSpreadOver(
  name: string,
  { properties }: ObjectTypeDefinition,
  { geopoints }: InferredType['columns'],
): boolean {
  const pair = geopoints?.get(name)
  if (pair === undefined) return false
  return Object.hasOwn(properties, pair.latitude) && Object.hasOwn(properties, pair.longitude)
}

type Type = PropertyDefinition['type']

const WHOLE: readonly Type[] = WHOLE_TYPES

/** The types of values that a type can hold without being widened, besides its own. */
const HOLDS: Readonly<Partial<Record<Type, readonly Type[]>>> = {
  decimal: [...WHOLE, 'double', 'float'],
  double: [...WHOLE, 'float'],
  float: [...WHOLE, 'double'],
  timestamp: ['date'],
  geoshape: ['geopoint'],
  // 1 and 0 are booleans.
  boolean: ['byte'],
}

function isFloating(type: Type): boolean {
  return type === 'double' || type === 'float'
}

/** Returns the type that holds the values of both; undefined if the stored type does. */
function widerType(stored: Type, needed: Type): Type | undefined {
  if (stored === needed || stored === 'string') return undefined
  if (isNested(stored) || isNested(needed)) return undefined
  if (HOLDS[stored]?.includes(needed)) return undefined
  const [before, after] = [WHOLE.indexOf(stored), WHOLE.indexOf(needed)]
  if (before !== -1 && after !== -1) return after > before ? needed : undefined
  if (before !== -1 && needed === 'double') return stored === 'long' ? 'decimal' : 'double'
  if ((before !== -1 || isFloating(stored)) && needed === 'decimal') return 'decimal'
  return 'string'
}
