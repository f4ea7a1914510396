import { API_NAME_MAX_LENGTH, PROPERTIES_MAX, STRUCT_MAX_DEPTH } from '../../contract/limits.ts'
import type { CellKind, DeclaredType } from '../../formats/row.ts'
import type {
  FieldDefinition,
  FieldDefinitions,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'
import { hasOnly, TRAIT, traitsOf } from './classify.ts'

/** What is known about the values of a column, of array items or of a struct field. */
export interface ValueGuess {
  traits: number
  /** The items of the arrays among the values. */
  items: ValueGuess | undefined
  /** The fields of the structs among the values. */
  fields: Map<string, ValueGuess> | undefined
}

export function emptyGuess(): ValueGuess {
  return { traits: 0, items: undefined, fields: undefined }
}

/** Returns whether only text can hold all values, so that further values change nothing. */
export function isSettled(guess: ValueGuess): boolean {
  return (guess.traits & TRAIT.text) !== 0
}

/** Adds a non-null value to the guess; returns its traits. */
export function learn(guess: ValueGuess, value: unknown, kind: CellKind): number {
  if (isSettled(guess)) return TRAIT.text
  const inner = kind === 'text' ? structured(value) : value
  const traits = traitsOf(inner, inner === value ? kind : 'json')
  guess.traits |= traits
  if (traits === TRAIT.array) learnItems(guess, inner as readonly unknown[], kind)
  if (traits === TRAIT.struct) learnFields(guess, inner as Readonly<Record<string, unknown>>, kind)
  return traits
}

/** Parses a text that is a JSON array or object; returns other values unchanged. */
function structured(text: unknown): unknown {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function learnItems(guess: ValueGuess, items: readonly unknown[], kind: CellKind): void {
  guess.items ??= emptyGuess()
  const itemKind = kind === 'text' ? 'json' : kind
  for (const item of items) {
    if (item === null || item === undefined) guess.items.traits |= TRAIT.nullItem
    else learn(guess.items, item, itemKind)
  }
}

function learnFields(
  guess: ValueGuess,
  struct: Readonly<Record<string, unknown>>,
  kind: CellKind,
): void {
  guess.fields ??= new Map()
  const fieldKind = kind === 'text' ? 'json' : kind
  for (const [name, value] of Object.entries(struct)) {
    let field = guess.fields.get(name)
    if (field === undefined) {
      // An object used as a map can have any number of names, so it becomes text.
      if (guess.fields.size >= PROPERTIES_MAX || !FIELD_NAME.test(name)) {
        guess.traits |= TRAIT.text
        guess.fields = undefined
        return
      }
      field = emptyGuess()
      guess.fields.set(name, field)
    }
    if (value !== null && value !== undefined) learn(field, value, fieldKind)
  }
}

const FIELD_NAME = new RegExp(`^(?!__proto__$)(?!\\.+$)[A-Za-z0-9_.-]{1,${API_NAME_MAX_LENGTH}}$`)

const WHOLE = TRAIT.integer | TRAIT.long
const EXACT = WHOLE | TRAIT.wide | TRAIT.fraction | TRAIT.decimal | TRAIT.scaled
const DOUBLE = WHOLE | TRAIT.fraction | TRAIT.scaled | TRAIT.floating | TRAIT.notFinite
const FINITE = DOUBLE & ~TRAIT.notFinite

/**
 * Returns the scalar type that can hold every value; `string` if no other can. Whole numbers are
 * `integer` only if all leave ample room, because the next file may have larger ones.
 */
export function scalarTypeOf(traits: number): ScalarType {
  if (traits === 0) return 'string'
  if (hasOnly(traits, TRAIT.boolean | TRAIT.yes | TRAIT.no)) {
    // `NO` alone may be a country code.
    const both = TRAIT.yes | TRAIT.no
    return (traits & TRAIT.boolean) !== 0 || traits === both ? 'boolean' : 'string'
  }
  if (traits === TRAIT.integer) return 'integer'
  if (hasOnly(traits, WHOLE | TRAIT.wide)) return 'long'
  if (hasOnly(traits, DOUBLE)) return (traits & FINITE) === 0 ? 'string' : 'double'
  if (hasOnly(traits, EXACT)) return 'decimal'
  if (traits === TRAIT.date) return 'date'
  if (hasOnly(traits, TRAIT.date | TRAIT.timestamp)) return 'timestamp'
  if (hasOnly(traits, TRAIT.geopoint | TRAIT.geopointText)) return 'geopoint'
  if (hasOnly(traits, TRAIT.geopoint | TRAIT.geoshape)) return 'geoshape'
  return 'string'
}

/** Returns the type of the values; those that no other type can hold are text. */
export function typeOf(guess: ValueGuess, depth = 0): PropertyDefinition {
  if (guess.traits === TRAIT.struct) {
    const fields = fieldTypes(guess, depth)
    return fields === undefined ? TEXT : { type: 'struct', fields }
  }
  if (guess.traits !== TRAIT.array) return { type: scalarTypeOf(guess.traits) }

  const items = guess.items ?? emptyGuess()
  if (items.traits === TRAIT.struct) {
    const fields = fieldTypes(items, depth)
    return fields === undefined ? TEXT : { type: 'array', items: { type: 'struct', fields } }
  }
  // No type can hold arrays of arrays, or arrays with null.
  if ((items.traits & NO_ITEM) !== 0) return TEXT
  return { type: 'array', items: { type: scalarTypeOf(items.traits) } }
}

const TEXT: PropertyDefinition = { type: 'string' }
const NESTED = TRAIT.array | TRAIT.struct
const NO_ITEM = NESTED | TRAIT.nullItem

function fieldTypes(guess: ValueGuess, depth: number): FieldDefinitions | undefined {
  const { fields } = guess
  if (fields === undefined || fields.size === 0 || depth >= STRUCT_MAX_DEPTH) return undefined
  // Objects with very many names are used as maps, at whichever depth.
  if (depth === 0 && countFields(guess) > PROPERTIES_MAX) return undefined
  return Object.fromEntries([...fields].map(([name, field]) => [name, typeOf(field, depth + 1)]))
}

function countFields({ fields, items }: ValueGuess): number {
  let count = items === undefined ? 0 : countFields(items)
  for (const field of fields?.values() ?? []) count += 1 + countFields(field)
  return count
}

/** Returns the property type for a declared type; undefined if there is none. */
export function propertyOf(declared: DeclaredType, depth = 0): PropertyDefinition | undefined {
  if (declared.type === 'array') {
    const items = propertyOf(declared.items, depth)
    return items === undefined || items.type === 'array'
      ? undefined
      : ({ type: 'array', items } as PropertyDefinition)
  }
  if (declared.type !== 'struct') return { type: declared.type }
  if (depth >= STRUCT_MAX_DEPTH) return undefined
  const fields: [string, FieldDefinition][] = []
  for (const [name, field] of declared.fields) {
    const definition = field && propertyOf(field, depth + 1)
    if (definition === undefined || !FIELD_NAME.test(name)) return undefined
    fields.push([name, definition])
  }
  return fields.length === 0 ? undefined : { type: 'struct', fields: Object.fromEntries(fields) }
}

/** Returns whether an array has a null, at any depth, which no property can hold. */
export function hasNullItem({ items, fields }: ValueGuess): boolean {
  if (items !== undefined && ((items.traits & TRAIT.nullItem) !== 0 || hasNullItem(items))) {
    return true
  }
  return [...(fields?.values() ?? [])].some(hasNullItem)
}

/** Returns whether structured values must be stored as JSON text, because no type can hold them. */
export function isKeptAsJson(guess: ValueGuess): boolean {
  return (guess.traits & NESTED) !== 0 && typeOf(guess).type === 'string'
}

/** Returns the fields of a struct whose values are stored as JSON text, such as `address.lines`. */
export function fieldsKeptAsJson(guess: ValueGuess): string[] {
  const found: string[] = []
  const add = ({ items, fields }: ValueGuess, path: readonly string[]) => {
    for (const [name, field] of (
      fields ??
      items?.fields ??
      new Map<string, ValueGuess>()
    ).entries()) {
      const inner = [...path, name]
      if (isKeptAsJson(field)) found.push(inner.join('.'))
      else add(field, inner)
    }
  }
  add(guess, [])
  return found
}
