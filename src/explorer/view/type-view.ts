/** A view of the objects of one type, and what it knows of the properties of the type. */
import type { TypePath } from '../../client/endpoints/pages.ts'
import type { ObjectTypeDefinition, ScalarType } from '../api/ontology.ts'
import { fieldAt, type ShownType } from './field-at.ts'
import { alternativesOf, type Filter } from './filters.ts'
import type { ViewState } from './view-state.ts'

export { type ShownType, scalarOf } from './field-at.ts'

/** A view of the objects of one type. */
export interface TypeView extends ShownType {
  readonly view: ViewState
  /** The version to read; undefined reads the newest. */
  readonly version?: number | undefined
}

/** Returns the names of a type, as endpoints take them. */
export function typePathOf({ ontology, objectType }: ShownType): TypePath {
  return { ontology: ontology.apiName, objectType: objectType.apiName }
}

/** True if all properties and links of a filter exist. */
export function isKnownFilter(of: ShownType, filter: Filter): boolean {
  return alternativesOf(filter).every(({ field }) => fieldAt(of, field) !== undefined)
}

/** True if a filter of the view depends on objects of other types. */
export function followsLinks({ ontology, objectType, view }: TypeView): boolean {
  return view.filters
    .flatMap(alternativesOf)
    .some(({ field }) => fieldAt({ ontology, objectType }, field)?.links.length)
}

/** True if objects can be ordered by a property: it is one of their own. */
export function isKnownOrder(of: ShownType, property: string): boolean {
  return fieldAt(of, property)?.links.length === 0
}

/**
 * Returns the view without orders by unknown properties: the same objects, in another order. Filters
 * stay, because without them the view would show other objects.
 */
export function withKnownOrder(view: ViewState, of: ShownType): ViewState {
  return { ...view, order: view.order.filter(({ property }) => isKnownOrder(of, property)) }
}

/** Returns the paths of all texts, struct fields included. */
export function textProperties({ properties }: ObjectTypeDefinition): string[] {
  return Object.entries(properties)
    .filter(([, definition]) => {
      const element = definition.type === 'array' ? definition.items : definition
      return element.type === 'string'
    })
    .map(([name]) => name)
}

/** Returns the first property with positions. */
export function pointProperty(type: ObjectTypeDefinition): string | undefined {
  return firstOf(type, 'geopoint')
}

/** Returns the first property with shapes. */
export function shapeProperty(type: ObjectTypeDefinition): string | undefined {
  return firstOf(type, 'geoshape')
}

/** Returns the property that places objects on a map. */
export function placeProperty(type: ObjectTypeDefinition): string | undefined {
  return pointProperty(type) ?? shapeProperty(type)
}

function firstOf({ properties }: ObjectTypeDefinition, wanted: ScalarType): string | undefined {
  return Object.entries(properties).find(([, { type }]) => type === wanted)?.[0]
}

/** Returns the view with filters in the place of those on the same properties. */
export function replaceFilters(view: ViewState, filters: readonly Filter[]): ViewState {
  const fields = new Set(filters.map(({ field }) => field))
  return {
    ...view,
    filters: [
      ...view.filters.filter(({ field, or }) => or !== undefined || !fields.has(field)),
      ...filters,
    ],
  }
}
