/**
 * Changes as messages to the writer thread. Messages are copied, and the cost of a copy depends on
 * the number of objects: flat arrays cost an eighth of the objects that they are made from.
 */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { Language } from '../../../ontology/definition/language.ts'
import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import { typeAt } from '../../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import {
  columnFieldsOf,
  type FieldId,
  type FieldValues,
  fieldKey,
} from '../../../ontology/values/searchable-values.ts'
import { objectChecksum } from '../../object-checksum.ts'
import { type Batch, type Change, type ChangePart, isEncoded } from '../../object-store.ts'

/** A change as a message: a put, or the key of an object to delete. */
export type ChangeMessage = PutMessage | readonly [pk: string]

export type PutMessage<Terms = Uint8Array | undefined> = readonly [
  pk: string,
  objectId: string,
  key: string,
  title: string | null,
  body: string,
  /** In the order of `PropertyColumns.fields`. */
  columns: readonly (ColumnValue | null)[],
  elements: readonly FieldMessage<readonly ColumnValue[]>[],
  /** Those that are neither columns nor cut into terms already. */
  texts: readonly FieldMessage<readonly string[]>[],
  /** Longitude, latitude, longitude, latitude… */
  points: readonly number[],
  /** The terms of all texts, if they are cut already. */
  terms: Terms,
  checksum: number,
]

/** The index of the terms in a put. */
export const TERMS = 9

/** The values of a property or of a struct field. */
export type FieldMessage<T> = readonly [property: string, structField: string | undefined, value: T]

/** The fields of a type that have one value, in the order of the column values of a put. */
export interface PropertyColumns {
  /** The properties, and the struct fields that are outside arrays. */
  readonly fields: readonly FieldId[]
  /** The indexes of the fields that are texts. */
  readonly texts: readonly number[]
  /** The indexes of the fields whose column values are whole numbers of at most 32 bits. */
  readonly wholes: readonly number[]
  /** The languages of the properties that have one. */
  readonly languages: ReadonlyMap<string, Language>
}

export function columnsOf({ properties }: Pick<ObjectType, 'properties'>): PropertyColumns {
  const fields = columnFieldsOf(properties.values())
  const types = fields.map(({ property, structField }) => {
    const whole = properties.get(property)?.type
    return structField === undefined ? whole : whole && typeAt(whole, structField)?.type
  })
  return {
    fields: fields.map(({ property, structField }) => ({ property, structField })),
    texts: types.flatMap((type, index) => (isText(type) ? [index] : [])),
    wholes: types.flatMap((type, index) => (isWhole(type) ? [index] : [])),
    languages: new Map(
      [...properties.values()].flatMap(({ apiName, language }) =>
        language === undefined ? [] : [[apiName, language]],
      ),
    ),
  }
}

/** The columns of other types: texts, doubles and integers of 64 bits. */
const OTHER_COLUMNS: ReadonlySet<ScalarType> = new Set([
  'string',
  'marking',
  'decimal',
  'date',
  'timestamp',
  'float',
  'double',
  'long',
])

function isWhole(type: PropertyType | undefined): boolean {
  return type?.kind !== 'scalar' || !OTHER_COLUMNS.has(type.type)
}

function isText(type: PropertyType | undefined): boolean {
  return type?.kind === 'scalar' && type.type === 'string'
}

const NONE: readonly never[] = []

function toFieldMessage<T>({
  property,
  structField,
  values,
}: FieldValues<T>): FieldMessage<readonly T[]> {
  return [property, structField, values]
}

/**
 * Returns the function that encodes the objects of a type. The message has the result of `cutTerms`,
 * or else the texts that are not columns, so that the writer can cut them.
 */
export function putEncoder<Terms = undefined>(
  type: PropertyColumns,
  cutTerms?: (object: StoredObject) => Terms,
): (object: StoredObject) => PutMessage<Terms> {
  const textColumns = new Set(type.texts.flatMap((index) => type.fields[index] ?? []).map(fieldKey))
  return (object) => {
    const { pk, objectId, key, title, body, searchable } = object
    const { columns, elements, texts, points } = searchable
    const uncut: readonly FieldValues<string>[] =
      cutTerms === undefined ? texts.filter((text) => !textColumns.has(fieldKey(text))) : NONE
    return [
      pk,
      objectId,
      key,
      title,
      body,
      columns.values,
      elements.length === 0 ? NONE : elements.map(toFieldMessage),
      uncut.length === 0 ? NONE : uncut.map(toFieldMessage),
      points.length === 0 ? NONE : points.flatMap((point) => [point.longitude, point.latitude]),
      cutTerms?.(object) as Terms,
      objectChecksum(object),
    ]
  }
}

/** Changes per message; more would block the readers of this thread. */
const PART_CHANGES = 1000

/** Some changes of a batch as a message to the writer thread, see encoded-rows.ts. */
export interface EncodedRows {
  /** A serialised table of the keys of the changes. */
  readonly keys: Uint8Array<ArrayBuffer>
  /** A serialised table of the rows of the puts. */
  readonly rows: Uint8Array<ArrayBuffer>
  /** The terms of all puts, one after the other. */
  readonly terms: Uint8Array<ArrayBuffer>
}

/** A part of a batch as items of a job. */
export interface ItemPart {
  /** Changes, or one item with encoded changes. */
  readonly items: readonly (ChangeMessage | EncodedRows)[]
  readonly count: number
  /**
   * The length of the bodies, plus that of text that takes as long to index as their array elements;
   * not known of encoded changes, which are many.
   */
  readonly length: number
  readonly transfer: readonly ArrayBuffer[]
}

/** Yields the changes of a batch in messages. */
export async function* changeMessages(
  changes: Batch['changes'],
  columns: PropertyColumns,
): AsyncGenerator<ItemPart> {
  const encode = putEncoder(columns)
  const toItems = (part: readonly Change[]): ItemPart => {
    let length = 0
    const items = part.map((change): ChangeMessage => {
      if ('delete' in change) return [change.delete]
      length += lengthOf(change.put)
      return encode(change.put)
    })
    return { items, count: items.length, length, transfer: [] }
  }
  if (!Array.isArray(changes)) {
    for await (const part of changes as AsyncIterable<ChangePart>) {
      if (!isEncoded(part)) yield toItems(part)
      else {
        const { count, content, transfer } = part
        yield { items: [content as EncodedRows], count, length: Infinity, transfer }
      }
    }
    return
  }
  for (let at = 0; at < changes.length; at += PART_CHANGES) {
    yield toItems(changes.slice(at, at + PART_CHANGES))
    await nextTurn()
  }
}

/** To index an array element takes as long as to write and index this much text. */
export const ELEMENT_LENGTH = 24

function lengthOf({ body, searchable: { elements } }: StoredObject): number {
  return elements.reduce((sum, { values }) => sum + ELEMENT_LENGTH * values.length, body.length)
}

export function fieldOf([property, structField]: FieldMessage<unknown>): FieldId {
  return { property, structField }
}
