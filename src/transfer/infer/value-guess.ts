import { API_NAME_MAX_LENGTH, PROPERTIES_MAX } from '../../contract/limits.ts'
import type { CellKind, DeclaredType } from '../../formats/row.ts'
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'
import { traitsOf } from './classify.ts'
import { hasOnly, TRAIT } from './traits.ts'

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
const EXACT = WHOLE | TRAIT.wide | TRAIT.fraction | TRAIT.decimal
const DOUBLE = WHOLE | TRAIT.fraction | TRAIT.floating | TRAIT.notFinite
const FINITE = DOUBLE & ~TRAIT.notFinite

/**
 * Returns the scalar type that can hold every value; `string` if no other can. Whole numbers are
 * `long`, because the next file may have larger ones.
 */
export function scalarTypeOf(traits: number): ScalarType {
  if (traits === 0) return 'string'
  if (hasOnly(traits, TRAIT.boolean | TRAIT.yes | TRAIT.no)) {
    // `NO` alone may be a country code.
    const both = TRAIT.yes | TRAIT.no
    return (traits & TRAIT.boolean) !== 0 || traits === both ? 'boolean' : 'string'
  }
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
export function typeOf(guess: ValueGuess): PropertyDefinition {
  if (guess.traits === TRAIT.struct) {
    const fields = fieldTypes(guess)
    return fields === undefined ? { type: 'string' } : { type: 'struct', fields }
  }
  if (guess.traits !== TRAIT.array) return { type: scalarTypeOf(guess.traits) }

  const items = guess.items ?? emptyGuess()
  if (items.traits === TRAIT.struct) {
    const fields = fieldTypes(items)
    if (fields !== undefined) return { type: 'array', items: { type: 'struct', fields } }
    return { type: 'string' }
  }
  // No type can hold arrays of arrays, or arrays with null.
  if ((items.traits & NO_ITEM) !== 0) return { type: 'string' }
  return { type: 'array', items: { type: scalarTypeOf(items.traits) } }
}

const NESTED = TRAIT.array | TRAIT.struct
const NO_ITEM = NESTED | TRAIT.nullItem

function fieldTypes({ fields }: ValueGuess): NonNullable<PropertyDefinition['fields']> | undefined {
  if (fields === undefined || fields.size === 0) return undefined
  if ([...fields.values()].some(({ traits }) => (traits & NESTED) !== 0)) return undefined
  return Object.fromEntries(
    [...fields].map(([name, field]) => [name, { type: scalarTypeOf(field.traits) }]),
  )
}

/** Returns the property type for a declared type; undefined if there is none. */
export function propertyOf(declared: DeclaredType): PropertyDefinition | undefined {
  if (declared.type === 'array') {
    const items = propertyOf(declared.items)
    return items === undefined || items.type === 'array'
      ? undefined
      : ({ type: 'array', items } as PropertyDefinition)
  }
  if (declared.type !== 'struct') return { type: declared.type }
  const fields: [string, { type: ScalarType }][] = []
  for (const [name, field] of declared.fields) {
    if (field === undefined || field.type === 'array' || field.type === 'struct') return undefined
    if (!FIELD_NAME.test(name)) return undefined
    fields.push([name, { type: field.type }])
  }
  return { type: 'struct', fields: Object.fromEntries(fields) }
}

/** Returns whether an array has a null, which no property can hold. */
export function hasNullItem({ items }: ValueGuess): boolean {
  return items !== undefined && (items.traits & TRAIT.nullItem) !== 0
}

/** Returns whether structured values must be stored as JSON text, because no type can hold them. */
export function isKeptAsJson(guess: ValueGuess): boolean {
  return (guess.traits & NESTED) !== 0 && typeOf(guess).type === 'string'
}
