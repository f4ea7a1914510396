/** Chooses the picture that tells most about a type. */
import { isNumber, type ObjectTypeDefinition, type PropertyType } from '../api/ontology.ts'

export interface PictureChoice {
  readonly kind: 'map' | 'bars'
  readonly property: string
}

/** A map before a time line, a time line before a histogram, and a histogram before values. */
export function pictureOf(type: ObjectTypeDefinition): PictureChoice | undefined {
  const { properties, primaryKey, titleProperty } = type
  const names = Object.keys(properties).filter((name) => name !== primaryKey)
  const firstOf = (isWanted: (type: PropertyType['type'] | undefined) => boolean) =>
    names.find((name) => isWanted(properties[name]?.type) && name !== titleProperty)
  const first = (wanted: PropertyType['type']) => firstOf((type) => type === wanted)
  const point = first('geopoint')
  if (point !== undefined) return { kind: 'map', property: point }
  const property =
    firstOf((type) => type === 'timestamp' || type === 'date') ??
    firstOf(isNumber) ??
    first('string') ??
    first('boolean')
  return property === undefined ? undefined : { kind: 'bars', property }
}
