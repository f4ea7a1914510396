/** An ontology as parsed, with the parts that follow from others and that few requests need. */

import type { ActionType, LinkSide, Ontology } from '../ontology.ts'
import { deriveActionTypes } from './derive-action-types.ts'
import { linkSidesOf } from './links.ts'

type Parts = Omit<Ontology, 'linkSides' | 'actionTypes'>

export class ParsedOntology implements Ontology {
  readonly rid: Ontology['rid']
  readonly apiName: Ontology['apiName']
  readonly families: Ontology['families']
  readonly objectTypes: Ontology['objectTypes']
  readonly linkTypes: Ontology['linkTypes']
  readonly sharedPropertyTypes: Ontology['sharedPropertyTypes']
  readonly interfaceTypes: Ontology['interfaceTypes']
  readonly definition: Ontology['definition']
  readonly viewId: Ontology['viewId']
  #linkSides: readonly LinkSide[] | undefined
  #actionTypes: ReadonlyMap<string, ActionType> | undefined

  constructor(parts: Parts) {
    this.rid = parts.rid
    this.apiName = parts.apiName
    this.families = parts.families
    this.objectTypes = parts.objectTypes
    this.linkTypes = parts.linkTypes
    this.sharedPropertyTypes = parts.sharedPropertyTypes
    this.interfaceTypes = parts.interfaceTypes
    this.definition = parts.definition
    this.viewId = parts.viewId
  }

  get linkSides(): readonly LinkSide[] {
    this.#linkSides ??= linkSidesOf(this.definition.linkTypes ?? [], this.objectTypes)
    return this.#linkSides
  }

  get actionTypes(): ReadonlyMap<string, ActionType> {
    this.#actionTypes ??= deriveActionTypes(this.objectTypes.values())
    return this.#actionTypes
  }
}
