/** Turns the parts of an object set into the parts of a page: records, selections and the order. */
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  flatRecordShape,
  interfaceRecordShape,
  type RenamedProperty,
} from '../../contract/object-record.ts'
import { findInterfaceType } from '../../ontology/catalogue.ts'
import { isSameType } from '../../ontology/definition/property-type.ts'
import type { ObjectType, Ontology, Property } from '../../ontology/ontology.ts'
import { asObjectType } from '../../query/interface-query.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import { parseSelection, type WrittenSelection } from '../../query/parse/selection-v2.ts'
import type { OrderTerm } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { SetOrderTerm, SetPagePart } from '../../store/object-store.ts'

/** The form of the records of a page. */
export interface RecordForm {
  /** Whether objects have the properties of the interface as which the set is viewed. */
  readonly asInterface: boolean
  readonly prefix: '__' | '$'
  readonly excludeRid: boolean
}

/** Sorts parts by API name: the order of their objects in a walk. */
export function sortParts(parts: readonly SetPart[]): readonly SetPart[] {
  return parts.toSorted((a, b) => (a.objectType.apiName < b.objectType.apiName ? -1 : 1))
}

/** Returns the parts of a page. */
export function pageParts(
  parts: readonly SetPart[],
  written: WrittenSelection,
  form: RecordForm,
  ontology: Ontology,
): SetPagePart[] {
  const named = commonType(parts, ontology)
  const selection = parseSelection(written, named)
  return parts.map((part) => {
    const { objectType, query } = part
    const properties = shownProperties(part, selection)
    if (form.asInterface && part.view !== undefined) {
      const shape = interfaceRecordShape(objectType, properties ?? ownNames(objectType), form)
      return { objectType, query, record: { shape, selection: undefined } }
    }
    const shown = properties && new Set(properties.map(({ property }) => property))
    const selected = shown?.add(objectType.primaryKey.apiName)
    return {
      objectType,
      query,
      record: {
        shape: flatRecordShape(objectType, form),
        selection: selected && [...objectType.properties.keys()].filter((one) => selected.has(one)),
      },
    }
  })
}

/** Returns the properties that a part shows, each with the name that the set gives it. */
function shownProperties(part: SetPart, selection: Selection): RenamedProperty[] | undefined {
  const { objectType, view, includeAllProperties = false } = part
  if (view === undefined) {
    if (selection === undefined) return undefined
    return ownNames(objectType).filter(({ property }) => selection.includes(property))
  }
  const viewed = [...view.properties]
    .filter(([name]) => selection === undefined || selection.includes(name))
    .map(([as, property]) => ({ property, as }))
  if (!includeAllProperties || selection !== undefined) return viewed
  const names = new Set(viewed.flatMap(({ property, as }) => [property, as]))
  return [...viewed, ...ownNames(objectType).filter(({ property }) => !names.has(property))]
}

function ownNames({ properties }: ObjectType): RenamedProperty[] {
  return [...properties.keys()].map((property) => ({ property, as: property }))
}

/**
 * Returns a type with the properties of all parts, by the names that the set gives them. A property
 * that has different types in two parts is left out of `sortable`.
 */
export function commonType(parts: readonly SetPart[], ontology: Ontology): ObjectType {
  const types = new Set(parts.map((part) => namedType(part, ontology)))
  const [first, ...others] = types
  if (first === undefined) return NO_TYPE
  const isOneView = new Set(parts.map(({ view }) => view?.interfaceType)).size === 1
  if (others.length === 0 || (isOneView && parts[0]?.view !== undefined)) return first
  const properties = new Map<string, Property>()
  for (const type of types) {
    for (const [name, property] of type.properties) properties.set(name, property)
  }
  // Selections always include the key of the common type, and the parts have their own.
  return { ...first, primaryKey: NO_TYPE.primaryKey, titleProperty: undefined, properties }
}

const NO_TYPE: ObjectType = {
  apiName: '',
  rid: '',
  primaryKey: { apiName: '', type: 'string' },
  titleProperty: undefined,
  retrievalLimit: undefined,
  properties: new Map(),
}

function namedType({ objectType, view }: SetPart, ontology: Ontology): ObjectType {
  return view === undefined
    ? objectType
    : asObjectType(findInterfaceType(ontology, view.interfaceType))
}

/** Returns the order of a page that merges its parts. */
export function mergedOrder(
  order: readonly OrderTerm[],
  parts: readonly SetPart[],
  ontology: Ontology,
): SetOrderTerm[] {
  return order.map(({ property: name, direction, nulls }) => {
    const properties = parts.map((part) => namedProperty(part, name))
    const [type, ...otherTypes] = parts.flatMap((part) => {
      const property = namedType(part, ontology).properties.get(name)
      return property === undefined ? [] : [property.type]
    })
    if (type?.kind !== 'scalar' || otherTypes.some((other) => !isSameType(type, other))) {
      throw new ObjectQueryError('PropertiesNotSortable', {
        properties: [name],
        reason: 'does not have the same type in all object types of the set',
      })
    }
    return { type: type.type, direction, nulls, properties }
  })
}

/** Returns the property of an object type that a part names; undefined if it has none. */
function namedProperty({ objectType, view }: SetPart, name: string): string | undefined {
  if (view !== undefined) return view.properties.get(name)
  return objectType.properties.has(name) ? name : undefined
}
