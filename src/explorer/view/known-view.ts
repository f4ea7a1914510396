/**
 * The part of a view that its type still supports. An address may name properties that were removed
 * since: they are shown, but not sent to the service.
 */
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { pointProperty } from './conditions.ts'
import type { ViewState } from './view-state.ts'

export function isKnownField({ properties }: ObjectTypeDefinition, path: string): boolean {
  const [name = '', structField] = path.split('/')
  const property = properties[name]
  if (property === undefined || structField === undefined) return property !== undefined
  const element = property.type === 'array' ? property.items : property
  return element.type === 'struct' && structField in element.fields
}

/** Returns the view without conditions and orders on unknown properties. */
export function knownPart(view: ViewState, objectType: ObjectTypeDefinition): ViewState {
  return {
    ...view,
    filters: view.filters.filter(({ field }) => isKnownField(objectType, field)),
    order: view.order.filter(({ property }) => isKnownField(objectType, property)),
    box: pointProperty(objectType) === undefined ? undefined : view.box,
  }
}
