/** Which field an aggregation reads in the objects of one of its types. */
import type { FieldId } from '../../ontology/values/searchable-values.ts'
import type { Aggregated } from './aggregation.ts'

/** The names of properties in one object type; without them, the type has those of the aggregation. */
export type OwnNames = ReadonlyMap<string, string> | undefined

/** Starts the names of properties that an object type lacks: API names contain no colon. */
const LACKING = ':'

export function readField({ property: name, field }: Aggregated, names: OwnNames): FieldId {
  const { property: shown, structField } = field ?? { property: name, structField: undefined }
  const property = names === undefined ? shown : (names.get(shown) ?? LACKING + shown)
  return { property, structField }
}

/** True for a field that the object type lacks, so that its objects have no value. */
export function isLacking({ property }: FieldId): boolean {
  return property.startsWith(LACKING)
}
