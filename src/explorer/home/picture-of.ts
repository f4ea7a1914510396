/** Chooses the picture that tells most about a type. */
import { isNumber, type PropertyType } from '../api/ontology.ts'
import { isCode } from '../ui/format-value.ts'
import type { ShownType } from '../view/field-at.ts'

export interface PictureChoice {
  readonly kind: 'map' | 'bars'
  readonly property: string
}

/**
 * A map before a time line, a time line before a histogram, and a histogram before values. Keys of other
 * objects and codes come last.
 */
export function pictureOf(of: ShownType): PictureChoice | undefined {
  const { properties, primaryKey, titleProperty } = of.objectType
  const names = Object.keys(properties).filter((name) => name !== primaryKey)
  const firstOf = (isWanted: (type: PropertyType['type'] | undefined) => boolean) =>
    names.find((name) => isWanted(properties[name]?.type) && name !== titleProperty)
  const firstAmount = (isWanted: (type: PropertyType['type'] | undefined) => boolean) =>
    names.find(
      (name) => isWanted(properties[name]?.type) && name !== titleProperty && !isCode(of, name),
    )
  const first = (wanted: PropertyType['type']) => firstOf((type) => type === wanted)
  const point = first('geopoint')
  if (point !== undefined) return { kind: 'map', property: point }
  const property =
    firstOf((type) => type === 'timestamp' || type === 'date') ??
    firstAmount(isNumber) ??
    firstAmount((type) => type === 'string') ??
    first('boolean') ??
    first('string')
  return property === undefined ? undefined : { kind: 'bars', property }
}
