import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import type { ViewState } from './view-state.ts'

/** A view of the objects of one type. */
export interface TypeView {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
  readonly view: ViewState
  /** The version to read; undefined reads the newest. */
  readonly version?: number | undefined
}
