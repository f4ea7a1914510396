/** An object while it is being edited: one text for each property. */
import { isJsonNumber, type ObjectTypeDefinition, type PropertyType } from '../api/ontology.ts'
import { isEqual } from '../view/differences.ts'
import type { CheckValue } from './check-values.ts'

export type Properties = Readonly<Record<string, unknown>>
/** Texts by property. An empty text is a missing value, unless the object had an empty text before. */
export type ObjectDraft = Readonly<Record<string, string>>

export interface ReadDraft {
  readonly properties: Properties
  /** The mistakes, by property. */
  readonly mistakes: Readonly<Record<string, string>>
}

/** Types that JSON writes as strings. */
const TEXT_TYPES = ['string', 'long', 'decimal', 'date', 'timestamp', 'marking']

/** True if a property is written as JSON, because a line of text cannot express it. */
export function isWrittenAsJson({ type }: PropertyType): boolean {
  return !TEXT_TYPES.includes(type) && !isJsonNumber(type) && type !== 'boolean'
}

/** Reads an object that was written as JSON, and checks the values that changed. */
export function readJson(
  { primaryKey, properties: types }: ObjectTypeDefinition,
  json: string,
  check: CheckValue,
  base: Properties = {},
): ReadDraft {
  let properties: unknown
  try {
    properties = JSON.parse(json)
  } catch (error) {
    return { properties: {}, mistakes: { json: `This is not JSON: ${(error as Error).message}.` } }
  }
  if (!isObject(properties)) {
    return { properties: {}, mistakes: { json: 'This is not a JSON object.' } }
  }
  const mistakes = missingValues({ primaryKey, properties: types }, properties)
  const key = properties[primaryKey]
  if (base[primaryKey] !== undefined && key !== base[primaryKey]) {
    mistakes[primaryKey] ??= 'The key of an object cannot change.'
  }
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || isEqual(value, base[name])) continue
    const mistake = Object.hasOwn(types, name)
      ? check(name, value)
      : 'This is not a property of the type.'
    if (mistake !== undefined) mistakes[name] ??= mistake
  }
  return { properties, mistakes }
}

export function draftOf({ properties }: ObjectTypeDefinition, values: Properties): ObjectDraft {
  return Object.fromEntries(
    Object.entries(properties).map(([name, type]) => [name, textOf(values[name], type)]),
  )
}

function textOf(value: unknown, type: PropertyType): string {
  if (value === undefined || value === null) return ''
  return isWrittenAsJson(type) ? JSON.stringify(value, undefined, 2) : String(value)
}

/**
 * Reads the texts as values, and checks those that changed. A property whose text is still that of the
 * base keeps its value: an edit changes nothing that nobody touched.
 */
export function readDraft(
  objectType: ObjectTypeDefinition,
  draft: ObjectDraft,
  check: CheckValue,
  base: Properties = {},
): ReadDraft {
  // The base may have properties that were added to the type since its definition was read.
  const properties = Object.fromEntries(
    Object.entries(base).filter(([name]) => !(name in objectType.properties)),
  )
  const mistakes: Record<string, string> = {}
  for (const [name, type] of Object.entries(objectType.properties)) {
    const text = draft[name] ?? ''
    if (text === textOf(base[name], type)) {
      if (name in base) properties[name] = base[name]
      continue
    }
    if (text === '' || (text.trim() === '' && type.type !== 'string')) continue
    try {
      const value = readText(text, type)
      properties[name] = value
      const mistake = check(name, value)
      if (mistake !== undefined) mistakes[name] = mistake
    } catch (error) {
      mistakes[name] = (error as Error).message
    }
  }
  return { properties, mistakes: { ...missingValues(objectType, properties), ...mistakes } }
}

/** Returns a mistake for each required property that has neither a value nor a default. */
function missingValues(
  { primaryKey, properties: types }: Pick<ObjectTypeDefinition, 'primaryKey' | 'properties'>,
  properties: Properties,
): Record<string, string> {
  const isMissing = (name: string) => (properties[name] ?? undefined) === undefined
  const missing = Object.entries(types).flatMap(([name, type]) => {
    if (type.default !== undefined || !isMissing(name)) return []
    if (name === primaryKey) return [[name, 'Every object needs its primary key.']]
    return type.required === true ? [[name, 'This is required.']] : []
  })
  return Object.fromEntries(missing)
}

function readText(text: string, type: PropertyType): unknown {
  if (isJsonNumber(type.type)) {
    const value = Number(text)
    // The API writes NaN and the infinities as strings.
    if (!Number.isFinite(value)) return text
    return value
  }
  if (type.type === 'boolean') return text === 'true'
  if (!isWrittenAsJson(type)) return text
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}.`)
  }
}

/**
 * Returns the JSON merge patch that turns one object into another. Only what differs is sent, so a
 * property that somebody adds to the type in the meantime is not lost.
 */
export function patchBetween(before: Properties, after: Properties): Properties {
  const patch: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[name], after[name]]
    if (isEqual(from, to)) continue
    patch[name] =
      to === undefined ? null : isObject(from) && isObject(to) ? patchBetween(from, to) : to
  }
  return patch
}

/**
 * Merges the changes of two people that started from one base. Where both changed the same value,
 * mine wins.
 */
export function mergeChanges(base: Properties, mine: Properties, theirs: Properties): Properties {
  const merged: Record<string, unknown> = { ...theirs }
  for (const name of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    const [from, to, other] = [base[name], mine[name], theirs[name]]
    if (isEqual(from, to)) continue
    if (to === undefined) delete merged[name]
    else if (isObject(from) && isObject(to) && isObject(other)) {
      merged[name] = mergeChanges(from, to, other)
    } else merged[name] = to
  }
  return merged
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
