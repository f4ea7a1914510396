import type { PropertyType, ScalarType } from '../definition/property-type.ts'
import type { ObjectType, Property } from '../ontology.ts'
import { type ColumnValue, columnValue, valueComparer } from './column-value.ts'
import { isShort, mapInSteps, type Steps } from './steps.ts'

/**
 * What queries can find an object by. A store keeps it beside the body, in whatever form its
 * database searches best.
 */
export interface SearchableValues {
  /** For each property with a value: what it compares as, or that it is there. */
  readonly columns: ReadonlyMap<string, ColumnValue>
  /** The values of arrays and structs, any of which may fulfil a condition; each field once. */
  readonly elements: readonly FieldValues<ColumnValue>[]
  /** Text, value by value, for full-text conditions; each field once. */
  readonly texts: readonly FieldValues<string>[]
  readonly points: readonly { readonly longitude: number; readonly latitude: number }[]
}

/** All values of one field: an object can have very many of them, and very few fields. */
export interface FieldValues<Value> extends FieldId {
  readonly values: readonly Value[]
}

/** Stands in the column of a property that is there but cannot be compared. */
const PRESENT = 1

/** Reads the searchable values out of canonical JSON texts, property by property, in steps. */
export function* searchableValues(
  objectType: ObjectType,
  jsonOf: ReadonlyMap<string, string>,
): Steps<SearchableValues> {
  const columns = new Map<string, ColumnValue>()
  const elements: FieldValues<ColumnValue>[] = []
  const texts: FieldValues<string>[] = []
  const points: { longitude: number; latitude: number }[] = []

  for (const [name, json] of jsonOf) {
    const type = objectType.properties.get(name)?.type
    if (type === undefined) continue
    if (type.kind === 'scalar') addScalar(name, type.type, json)
    else {
      columns.set(name, PRESENT)
      for (const parts of partsOf(type, JSON.parse(json))) {
        const compare = valueComparer(parts.type)
        if (compare === undefined) addParts(name, parts, undefined)
        else if (isShort(parts.values)) addParts(name, parts, parts.values.map(compare))
        else addParts(name, parts, yield* mapInSteps(parts.values, compare))
      }
    }
  }
  return { columns, elements, texts, points }

  function addScalar(property: string, type: ScalarType, json: string): void {
    const value = columnValue(type, json)
    columns.set(property, value ?? PRESENT)
    if (type === 'string') {
      texts.push({ property, structField: undefined, values: [String(value)] })
    }
    if (type === 'geopoint') addPoint(JSON.parse(json))
  }

  function addParts(
    property: string,
    { structField, type, values }: Parts,
    compared: readonly ColumnValue[] | undefined,
  ): void {
    if (compared !== undefined) elements.push({ property, structField, values: compared })
    // A text is compared as it is: the same list, so that it is kept and copied once.
    if (type === 'string')
      texts.push({ property, structField, values: compared as readonly string[] })
    if (type === 'geopoint') for (const point of values) addPoint(point as GeoPoint)
  }

  function addPoint({ coordinates: [longitude, latitude] }: GeoPoint): void {
    points.push({ longitude, latitude })
  }
}

interface GeoPoint {
  readonly coordinates: readonly [number, number]
}

interface Parts {
  readonly structField: string | undefined
  readonly type: ScalarType
  readonly values: readonly unknown[]
}

/** The single values inside an array or a struct, field by field. */
function partsOf(type: Exclude<PropertyType, { kind: 'scalar' }>, value: unknown): Parts[] {
  const items = type.kind === 'array' ? (value as readonly unknown[]) : [value]
  const inner = type.kind === 'array' ? type.items : type
  if (inner.kind === 'scalar') {
    return items.length === 0 ? [] : [{ structField: undefined, type: inner.type, values: items }]
  }
  const valuesOf = new Map<string, unknown[]>()
  for (const item of items) {
    for (const [structField, part] of Object.entries(item as object)) {
      const values = valuesOf.get(structField)
      if (values === undefined) valuesOf.set(structField, [part])
      else values.push(part)
    }
  }
  return [...valuesOf].flatMap(([structField, values]) => {
    const field = inner.fields.get(structField)
    return field === undefined ? [] : [{ structField, type: field.type, values }]
  })
}

/** Every field that can hold a value of its own: properties, and fields of structs. */
export interface FieldId {
  readonly property: string
  readonly structField: string | undefined
}

export function fieldsOf(properties: Iterable<Property>): FieldId[] {
  return [...properties].flatMap(({ apiName, type }) => {
    const inner = type.kind === 'array' ? type.items : type
    const fields = inner.kind === 'struct' ? [...inner.fields.keys()] : []
    return [
      { property: apiName, structField: undefined },
      ...fields.map((structField) => ({ property: apiName, structField })),
    ]
  })
}
