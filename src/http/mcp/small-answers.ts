/**
 * Keeps answers small: an agent pays for every character. What is left out is always named, together
 * with the argument that returns it.
 */
import { Type } from 'typebox'
import { texts } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkSelection, type Selection } from '../../query/selection.ts'

/** The number of properties of an object in a list, unless `select` names them. */
const SHOWN_PROPERTIES = 12

/** The longest text, or JSON of a list or struct, of an object in a list, and of a single object. */
export const TEXT_LENGTHS = { list: 200, object: 2000 } as const

const TEXT_LENGTH_MAX = 1_000_000

export const sizeArguments = {
  select: Type.Optional(
    texts('The properties to return. ["*"] returns all; lists return the first ones by default.'),
  ),
  textLength: Type.Optional(
    Type.Integer({
      minimum: 20,
      maximum: TEXT_LENGTH_MAX,
      description: `Longer values are cut. Default: ${TEXT_LENGTHS.list} in lists, ${TEXT_LENGTHS.object} for get_object.`,
    }),
  ),
}

/** The number of objects in one answer. */
export const LIMITS = { default: 10, maximum: 100 } as const

export const pageArguments = {
  ...sizeArguments,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maximum,
      description: `The number of objects in one answer. Default: ${LIMITS.default}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        'To read on: the cursor of the previous answer. Repeat all other arguments unchanged.',
    }),
  ),
}

/** What an answer returns of each object, and what it says about the rest. */
export interface ChosenProperties {
  readonly selection: Selection
  readonly notes: readonly string[]
}

/** Returns the properties that are named, or the first ones, with the title. */
export function chooseProperties(
  select: readonly string[] | undefined,
  objectType: ObjectType,
): ChosenProperties {
  const all = [...objectType.properties.keys()]
  if (select !== undefined && select.length > 0) {
    const selection = select.includes('*') ? undefined : checkSelection(select, objectType)
    return { selection, notes: [] }
  }
  if (all.length <= SHOWN_PROPERTIES) return { selection: undefined, notes: [] }
  const { titleProperty } = objectType
  const first = [...(titleProperty === undefined ? [] : [titleProperty]), ...all]
  const shown = [...new Set(first)].slice(0, SHOWN_PROPERTIES)
  const hidden = all.filter((name) => !shown.includes(name))
  const note = `Each object has up to ${hidden.length} more properties, which "select" can name: ${hidden.join(', ')}.`
  return { selection: checkSelection(shown, objectType), notes: [note] }
}

/** An object of v2. */
type FlatObject = Readonly<Record<string, unknown>>

/** Returns objects with long values cut, and how to get the whole ones. */
export function cutRecords(
  json: Uint8Array,
  maxLength: number,
): { readonly objects: readonly FlatObject[]; readonly notes: readonly string[] } {
  const records = JSON.parse(`[${Buffer.from(json).toString('utf8')}]`) as FlatObject[]
  let longest = 0
  const cut = (value: unknown): unknown => {
    const isText = typeof value === 'string'
    if (!isText && (typeof value !== 'object' || value === null)) return value
    const text = isText ? value : JSON.stringify(value)
    if (text.length <= maxLength) return value
    longest = Math.max(longest, text.length)
    return `${wholeCharacters(text, maxLength)}… [cut: ${maxLength} of ${text.length} characters${isText ? '' : ' of JSON'}]`
  }
  const objects = records.map(({ __apiName: _, __score: __, ...record }) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cut(value)])),
  )
  if (longest === 0) return { objects, notes: [] }
  const whole = Math.min(longest, TEXT_LENGTH_MAX)
  return {
    objects,
    notes: [
      `Values that end with "[cut: …]" are whole with "textLength": ${whole}, best in get_object with "select".`,
    ],
  }
}

/** Cuts a text without splitting a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}

/** Returns the notes of an answer as a member, if there are any. */
export function withNotes(...notes: readonly (readonly string[])[]): { notes?: readonly string[] } {
  const all = notes.flat()
  return all.length === 0 ? {} : { notes: all }
}
