/** Chooses the picture that tells most about a type. */
import type { ObjectTypeDefinition } from '../api/ontology.ts'

export interface PictureChoice {
  readonly kind: 'map' | 'bars'
  readonly property: string
}

const NUMBERS: readonly string[] = ['double', 'float', 'integer', 'long', 'decimal', 'short']

/** A map before a time line, a time line before a histogram, and a histogram before values. */
export function pictureOf(type: ObjectTypeDefinition): PictureChoice | undefined {
  const { properties, primaryKey, titleProperty } = type
  const names = Object.keys(properties).filter((name) => name !== primaryKey)
  const first = (...types: readonly string[]) =>
    names.find((name) => types.includes(properties[name]?.type ?? '') && name !== titleProperty)
  const point = first('geopoint')
  if (point !== undefined) return { kind: 'map', property: point }
  const property =
    first('timestamp', 'date') ?? first(...NUMBERS) ?? first('string') ?? first('boolean')
  return property === undefined ? undefined : { kind: 'bars', property }
}
