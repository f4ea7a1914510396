/**
 * Estimates how much memory definitions take, with what is derived from them on demand: sides of
 * links, action types and lists of metadata. Measured with definitions of 30,000 fields, of one to
 * 2,000 types; an estimate is never less than what was measured.
 */
import { countFields } from './definition/definition-size.ts'
import type { ObjectType, Ontology } from './ontology.ts'

/** A property, or a field of a struct. */
const FIELD_BYTES = 200
/** The parameters of a property in three action types. */
const PARAMETERS_BYTES = 300
const TYPE_BYTES = 800
/** A type that all views in which it can only be read share, and its entry in one of them. */
const READ_ONLY_BYTES = 250
const ENTRY_BYTES = 200
const LINK_BYTES = 800
const INTERFACE_BYTES = 1000
const INTERFACE_PART_BYTES = 150
const BASE_BYTES = 2000

/** Returns the memory of an ontology whose definition has the given length as JSON text. */
export function ontologyBytes(ontology: Ontology, textLength: number): number {
  let bytes = BASE_BYTES + textLength + partBytes(ontology)
  bytes += countFields(ontology.definition) * FIELD_BYTES
  for (const { properties } of ontology.objectTypes.values()) {
    bytes += TYPE_BYTES + READ_ONLY_BYTES + properties.size * PARAMETERS_BYTES
  }
  return bytes
}

/** What a view shares of a type: all of it, its properties, or nothing. */
type SharedPart = 'type' | 'properties' | 'nothing'

/** Returns the memory that a view takes besides the parts that it shares with its ontology. */
export function viewBytes(view: Ontology, sharedOf: (type: ObjectType) => SharedPart): number {
  let bytes = BASE_BYTES + partBytes(view)
  for (const type of view.objectTypes.values()) {
    const shared = sharedOf(type)
    bytes += shared === 'type' ? ENTRY_BYTES : TYPE_BYTES
    if (shared === 'nothing') bytes += type.properties.size * FIELD_BYTES
    if (type.access === 'all') bytes += type.properties.size * PARAMETERS_BYTES
  }
  return bytes
}

/** Returns the memory of a view that differs only in some types, see `replaceTypes`. */
export function replacedTypesBytes(
  { linkTypes, interfaceTypes }: Ontology,
  types: ReadonlyMap<string, ObjectType>,
): number {
  let bytes = BASE_BYTES + types.size * TYPE_BYTES + linkTypes.length * LINK_BYTES
  for (const { implementations } of interfaceTypes.values()) {
    const implementing = [...types.keys()].filter((name) => implementations.has(name)).length
    if (implementing > 0) bytes += INTERFACE_BYTES + implementing * INTERFACE_PART_BYTES
  }
  return bytes
}

function partBytes({ linkTypes, interfaceTypes, sharedPropertyTypes }: Ontology): number {
  let bytes = linkTypes.length * LINK_BYTES + sharedPropertyTypes.size * FIELD_BYTES
  for (const { allProperties, allLinks, implementations } of interfaceTypes.values()) {
    const parts = allProperties.size + allLinks.size + implementations.size
    bytes += INTERFACE_BYTES + parts * INTERFACE_PART_BYTES
    for (const { properties } of implementations.values()) {
      bytes += properties.size * INTERFACE_PART_BYTES
    }
  }
  return bytes
}
