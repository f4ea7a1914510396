/** Widens an object type that exists, so that it can hold the rows of another file. */
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
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
  for (const name of [...propertyOf.values(), ...geopoints]) {
    const inferred = definition.properties[name]
    const stored = type.properties[name]
    if (inferred === undefined || isSpreadOver(name, type, columns)) continue
    if (stored === undefined) {
      properties[name] = inferred
      changes.push(`added ${name}: ${inferred.type}`)
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

/** Returns whether the type has a property for each of the two columns of a geopoint. */
function isSpreadOver(
  name: string,
  { properties }: ObjectTypeDefinition,
  { geopoints }: InferredType['columns'],
): boolean {
  const pair = geopoints?.get(name)
  return pair !== undefined && pair.latitude in properties && pair.longitude in properties
}

type Type = PropertyDefinition['type']

const WHOLE: readonly Type[] = ['byte', 'short', 'integer', 'long']

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
  const isNested = [stored, needed].some((type) => type === 'array' || type === 'struct')
  if (stored === needed || stored === 'string' || isNested) return undefined
  if (HOLDS[stored]?.includes(needed)) return undefined
  const [before, after] = [WHOLE.indexOf(stored), WHOLE.indexOf(needed)]
  if (before !== -1 && after !== -1) return after > before ? needed : undefined
  if (before !== -1 && needed === 'double') return stored === 'long' ? 'decimal' : 'double'
  if (before !== -1 && needed === 'decimal') return 'decimal'
  return 'string'
}
