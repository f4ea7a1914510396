/** Turns the parts of an object set into the parts of a page: records, selections and the order. */
import { ObjectQueryError } from '../../contract/errors.ts'
import {
  flatRecordShape,
  interfaceRecordShape,
  type RenamedProperty,
} from '../../contract/object-record.ts'
import { isSameType } from '../../ontology/definition/property-type.ts'
import { PATH_SEPARATOR, typeAt } from '../../ontology/definition/struct-path.ts'
import type {
  InterfaceImplementation,
  ObjectType,
  Ontology,
  Property,
} from '../../ontology/ontology.ts'
import { fieldKey } from '../../ontology/values/searchable-values.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import { namedType } from '../../query/object-set/set-parts.ts'
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
  const viewed = viewedProperties(view, selection)
  if (!includeAllProperties || selection !== undefined) return viewed
  const names = new Set(viewed.flatMap(({ property, as }) => [property, as]))
  return [...viewed, ...ownNames(objectType).filter(({ property }) => !names.has(property))]
}

/** Returns the selected properties of an interface, each with the property that implements it. */
export function viewedProperties(
  { properties }: InterfaceImplementation,
  selection: Selection,
): RenamedProperty[] {
  return [...properties]
    .filter(([name]) => selection === undefined || selection.includes(name))
    .map(([as, property]) => ({ property, as }))
}

function ownNames({ properties }: ObjectType): RenamedProperty[] {
  return [...properties.keys()].map((property) => ({ property, as: property }))
}

/**
 * Returns a type with the properties of all parts, by the names that the set gives them. If a name
 * has different types in two parts, any of them is returned; `setOrder` refuses to sort by it.
 */
export function commonType(parts: readonly SetPart[], ontology: Ontology): ObjectType {
  const types = new Map(
    parts.map((part) => namedType(part, ontology)).map((type) => [type.rid, type]),
  )
  const [first, ...others] = types.values()
  if (first === undefined) return NO_TYPE
  if (others.length === 0) return first
  const properties = new Map<string, Property>()
  for (const type of types.values()) {
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
  access: 'all',
}

/** Returns an order as each part names its properties. */
export function setOrder(
  order: readonly OrderTerm[],
  parts: readonly SetPart[],
  ontology: Ontology,
): SetOrderTerm[] {
  return order.map(({ property: name, structField, direction, nulls }) => {
    const types = parts.map((part) => {
      const whole = namedType(part, ontology).properties.get(name)?.type
      return structField === undefined ? whole : whole && typeAt(whole, structField)?.type
    })
    const properties = parts.map((part, index) =>
      types[index] === undefined ? undefined : namedProperty(part, name),
    )
    const [type, ...otherTypes] = types.filter((one) => one !== undefined)
    const written = fieldKey({ property: name, structField }).replaceAll(PATH_SEPARATOR, '.')
    if (type?.kind !== 'scalar' || otherTypes.some((other) => !isSameType(type, other))) {
      throw new ObjectQueryError('PropertiesNotSortable', {
        properties: [written],
        reason: 'does not have the same type in all object types of the set',
      })
    }
    const path = structField === undefined ? {} : { structField }
    return { type: type.type, direction, nulls, properties, ...path }
  })
}

/** Returns the property of an object type that a part names; undefined if it has none. */
function namedProperty({ objectType, view }: SetPart, name: string): string | undefined {
  if (view !== undefined) return view.properties.get(name)
  return objectType.properties.has(name) ? name : undefined
}
