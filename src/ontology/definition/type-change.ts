/** What the change of a definition does to an object type and to its stored objects. */

import type { ObjectType } from '../ontology.ts'
import type { Constraint, PropertyRules } from '../rules.ts'
import type { Language } from './language.ts'
import {
  isSameType,
  type PropertyType,
  type ScalarType,
  staysValid,
  typeName,
} from './property-type.ts'
import { joinPath, PATH_SEPARATOR } from './struct-path.ts'

/**
 * `widened`: every value fits the new type. `reread`: each value is read again as the new type, and
 * the change is refused if one does not fit. `reindexed`: the terms of each value are read again in
 * another language. `rekeyed`: another property is the primary key.
 */
type ChangeKind =
  | 'added'
  | 'renamed'
  | 'widened'
  | 'reread'
  | 'reindexed'
  | 'constrained'
  | 'rekeyed'
  | 'dropped'

/** A change of an object type, or of one of its properties. */
export interface PartChange {
  readonly kind: ChangeKind
  /** By its new name; a field of a struct as `property.field`. Absent for the type itself. */
  readonly property?: string
  /** The name, the type or the language before the change. */
  readonly from?: string
  /** The type or the language after the change. */
  readonly to?: string
  /** Whether stored objects must be written again. */
  readonly rewrites: boolean
}

export interface TypeChange {
  readonly typeRid: string
  /** The API name; that of the earlier definition if the type is dropped. */
  readonly objectType: string
  readonly changes: readonly PartChange[]
  /** The earlier names of renamed properties and struct fields. */
  readonly renamed: RenamedProperties
}

/** Earlier names, by the names of properties now, and by the paths of struct fields now. */
export type RenamedProperties = ReadonlyMap<string, string>

/** True if the type is missing from the new definition. */
export function isDroppedType({ changes }: TypeChange): boolean {
  return changes.some(({ kind, property }) => kind === 'dropped' && property === undefined)
}

/** True if the stored objects of the type must be written again. */
export function rewritesObjects({ changes }: TypeChange): boolean {
  return changes.some(({ rewrites }) => rewrites)
}

/** Returns the changes from one object type to another. */
export function compareObjectTypes(
  before: ObjectType,
  after: ObjectType,
  renamed: RenamedProperties,
): PartChange[] {
  const changes: PartChange[] = []
  if (before.apiName !== after.apiName) {
    changes.push({ kind: 'renamed', from: before.apiName, rewrites: false })
  }
  const key = after.primaryKey.apiName
  if (before.primaryKey.apiName !== (renamed.get(key) ?? key)) {
    const from = before.primaryKey.apiName
    changes.push({ kind: 'rekeyed', property: key, from, rewrites: true })
  }
  const types = (properties: ObjectType['properties']) =>
    new Map([...properties].map(([name, { type }]) => [name, type]))
  changes.push(
    ...compareFields(undefined, types(before.properties), types(after.properties), renamed),
  )
  for (const [name, { language, rules }] of after.properties) {
    const earlier = before.properties.get(renamed.get(name) ?? name)
    if (earlier !== undefined) changes.push(...compareLanguages(name, earlier.language, language))
    if (isStricter(earlier?.rules, rules)) {
      changes.push({ kind: 'constrained', property: name, rewrites: true })
    }
  }
  return changes
}

function compareLanguages(
  property: string,
  from: Language | undefined,
  to: Language | undefined,
): PartChange[] {
  if (from === to) return []
  return [{ kind: 'reindexed', property, ...(from && { from }), ...(to && { to }), rewrites: true }]
}

/** True if values that were allowed before may violate the rules now. */
function isStricter(before: PropertyRules | undefined, after: PropertyRules | undefined): boolean {
  if (after === undefined) return false
  if (after.isRequired && before?.isRequired !== true) return true
  const kept = new Set(before?.constraints.map(constraintText))
  return after.constraints.some((constraint) => !kept.has(constraintText(constraint)))
}

function constraintText(constraint: Constraint): string {
  const isMap = (value: unknown): value is ReadonlyMap<string, unknown> => value instanceof Map
  return JSON.stringify(constraint, (_, value) => (isMap(value) ? [...value] : value))
}

/** Compares the types of a property, or of the struct field with this path. */
function comparePropertyTypes(
  key: string,
  before: PropertyType,
  after: PropertyType,
  renamed: RenamedProperties,
): PartChange[] {
  if (isSameType(before, after)) return []
  const property = shownName(key)
  if (before.kind === 'array' && after.kind === 'array') {
    const changes = comparePropertyTypes(key, before.items, after.items, renamed)
    const isWhole = changes.length === 1 && changes[0]?.property === property
    return isWhole ? changes.map((change) => ({ ...change, ...names(before, after) })) : changes
  }
  if (before.kind === 'struct' && after.kind === 'struct') {
    return compareFields(key, before.fields, after.fields, renamed)
  }
  const change: PartChange = {
    kind: alwaysFits(before, after) ? 'widened' : 'reread',
    property,
    ...names(before, after),
    rewrites: !staysValid(before, after),
  }
  // A struct that becomes an array of structs, or the reverse, may lose fields as well.
  const [from, to] = [itemType(before), itemType(after)]
  if (from.kind !== 'struct' || to.kind !== 'struct') return [change]
  return [change, ...compareFields(key, from.fields, to.fields, renamed)]
}

/** Returns the name of a property or a struct field for people. */
function shownName(key: string): string {
  return key.replaceAll(PATH_SEPARATOR, '.')
}

function itemType(type: PropertyType): PropertyType {
  return type.kind === 'array' ? type.items : type
}

type Fields = (PropertyType & { readonly kind: 'struct' })['fields']

/** Compares the properties of a type, or the fields of the struct with a path. */
function compareFields(
  key: string | undefined,
  before: Fields,
  after: Fields,
  renamed: RenamedProperties,
): PartChange[] {
  const changes: PartChange[] = []
  const kept = new Set<string>()
  for (const [field, type] of after) {
    const fieldKey = joinPath(key, field)
    const property = shownName(fieldKey)
    const from = renamed.get(fieldKey) ?? field
    const earlier = before.get(from)
    if (earlier === undefined) {
      changes.push({ kind: 'added', property, to: typeName(type), rewrites: false })
      continue
    }
    kept.add(from)
    // The stored objects contain the names.
    if (from !== field) changes.push({ kind: 'renamed', property, from, rewrites: true })
    changes.push(...comparePropertyTypes(fieldKey, earlier, type, renamed))
  }
  for (const [field, type] of before) {
    if (kept.has(field)) continue
    const property = shownName(joinPath(key, field))
    changes.push({ kind: 'dropped', property, from: typeName(type), rewrites: true })
  }
  return changes
}

function names(before: PropertyType, after: PropertyType) {
  return { from: typeName(before), to: typeName(after) }
}

/** For each type, the types that every value of it can be converted to without loss. */
const WIDER: Partial<Record<ScalarType, readonly ScalarType[]>> = {
  byte: ['short', 'integer', 'long', 'decimal', 'float', 'double'],
  short: ['integer', 'long', 'decimal', 'float', 'double'],
  integer: ['long', 'decimal', 'double'],
  long: ['decimal'],
  float: ['double'],
  string: ['marking'],
}

/** True if every value of `a` can be converted to `b`, whatever it is. */
function alwaysFits(a: PropertyType, b: PropertyType): boolean {
  if (isSameType(a, b)) return true
  if (b.kind === 'array') return alwaysFits(a.kind === 'array' ? a.items : a, b.items)
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return false
  // Every scalar has a text.
  return b.type === 'string' || (WIDER[a.type]?.includes(b.type) ?? false)
}
