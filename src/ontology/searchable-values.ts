import { type ColumnValue, columnValue } from './column-value.ts'
import type { ObjectType, Property } from './ontology.ts'
import type { PropertyType, ScalarType } from './property-type.ts'

/**
 * What queries can find an object by. A store keeps it beside the body, in whatever form its
 * database searches best.
 */
export interface SearchableValues {
  /** For each property with a value: what it compares as, or that it is there. */
  readonly columns: ReadonlyMap<string, ColumnValue>
  /** The values of arrays and structs, any of which may fulfil a condition. */
  readonly elements: readonly Element[]
  /** Text, value by value, for full-text conditions. */
  readonly texts: readonly SearchableText[]
  readonly points: readonly { readonly longitude: number; readonly latitude: number }[]
}

export interface Element {
  readonly property: string
  readonly structField: string | undefined
  readonly value: ColumnValue
}

export interface SearchableText {
  readonly property: string
  readonly structField: string | undefined
  readonly text: string
}

/** Stands in the column of a property that is there but cannot be compared. */
const PRESENT = 1

/** Reads the searchable values out of canonical JSON texts, property by property. */
export function searchableValues(
  objectType: ObjectType,
  jsonOf: ReadonlyMap<string, string>,
): SearchableValues {
  const columns = new Map<string, ColumnValue>()
  const elements: Element[] = []
  const texts: SearchableText[] = []
  const points: { longitude: number; latitude: number }[] = []

  for (const [name, json] of jsonOf) {
    const type = objectType.properties.get(name)?.type
    if (type === undefined) continue
    if (type.kind === 'scalar') addScalar(name, type.type, json)
    else {
      columns.set(name, PRESENT)
      for (const part of partsOf(type, JSON.parse(json))) addPart(name, part)
    }
  }
  return { columns, elements, texts, points }

  function addScalar(property: string, type: ScalarType, json: string): void {
    const value = columnValue(type, json)
    columns.set(property, value ?? PRESENT)
    if (type === 'string') texts.push({ property, structField: undefined, text: String(value) })
    if (type === 'geopoint') addPoint(JSON.parse(json))
  }

  function addPart(property: string, { structField, type, value }: Part): void {
    const compared = columnValue(type, JSON.stringify(value))
    if (compared !== undefined) elements.push({ property, structField, value: compared })
    if (type === 'string') texts.push({ property, structField, text: String(value) })
    if (type === 'geopoint') addPoint(value as GeoPoint)
  }

  function addPoint({ coordinates: [longitude, latitude] }: GeoPoint): void {
    points.push({ longitude, latitude })
  }
}

interface GeoPoint {
  readonly coordinates: readonly [number, number]
}

interface Part {
  readonly structField: string | undefined
  readonly type: ScalarType
  readonly value: unknown
}

/** The single values inside an array or a struct. */
function partsOf(type: PropertyType, value: unknown): Part[] {
  switch (type.kind) {
    case 'scalar':
      return [{ structField: undefined, type: type.type, value }]
    case 'array':
      return (value as unknown[]).flatMap((item) => partsOf(type.items, item))
    case 'struct':
      return Object.entries(value as object).flatMap(([structField, part]) => {
        const field = type.fields.get(structField)
        return field === undefined ? [] : [{ structField, type: field.type, value: part }]
      })
  }
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
