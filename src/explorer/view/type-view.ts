import type { TypePath } from '../../client/endpoints/pages.ts'
import { compileWhere, OBJECT_SET_SYNTAX } from '../../client/query/compile-where.ts'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { conditionsOf, pointProperty } from './conditions.ts'
import type { ViewState } from './view-state.ts'

/** An object type, with the ontology that defines it. */
export interface ShownType {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
}

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

/** Returns the conditions of a view in the language of v2; undefined if there are none. */
export function whereOf({ view, objectType }: Pick<TypeView, 'view' | 'objectType'>) {
  return compileWhere(conditionsOf(view, objectType, 'v2'), OBJECT_SET_SYNTAX)
}

export function isKnownField({ properties }: ObjectTypeDefinition, path: string): boolean {
  const [name = '', structField] = path.split('/')
  const property = properties[name]
  if (property === undefined || structField === undefined) return property !== undefined
  const element = property.type === 'array' ? property.items : property
  return element.type === 'struct' && structField in element.fields
}

/**
 * Returns the view without conditions and orders on unknown properties. An address may name some that
 * were removed since: they are shown, but not sent to the service.
 */
export function knownPart(view: ViewState, objectType: ObjectTypeDefinition): ViewState {
  return {
    ...view,
    filters: view.filters.filter(({ field }) => isKnownField(objectType, field)),
    order: view.order.filter(({ property }) => isKnownField(objectType, property)),
    box: pointProperty(objectType) === undefined ? undefined : view.box,
  }
}
