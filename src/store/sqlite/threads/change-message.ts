/**
 * Changes as messages to the writer thread. Messages are copied, and the cost of a copy depends on
 * the number of objects: flat arrays cost an eighth of the objects that they are made from.
 */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { FieldId, FieldValues } from '../../../ontology/values/searchable-values.ts'
import type { Change } from '../../object-store.ts'

/** A change as a message: a put, or the key of an object to delete. */
export type ChangeMessage = PutMessage | readonly [pk: string]

export type PutMessage = readonly [
  pk: string,
  objectId: string,
  key: string,
  title: string | null,
  body: string,
  /** In the order of `PropertyColumns.properties`. */
  columns: readonly (ColumnValue | null)[],
  elements: readonly FieldMessage<readonly ColumnValue[]>[],
  /** Without those that are columns, which would be copied twice. */
  texts: readonly FieldMessage<readonly string[]>[],
  /** Longitude, latitude, longitude, latitude… */
  points: readonly number[],
]

/** The values of a property or of a struct field. */
export type FieldMessage<T> = readonly [property: string, structField: string | undefined, value: T]

/** The properties of a type, in the order of the column values of a put. */
export interface PropertyColumns {
  readonly properties: readonly string[]
  /** The indexes of the properties that are texts. */
  readonly texts: readonly number[]
  /** The indexes of the properties whose column values are whole numbers of at most 32 bits. */
  readonly wholes: readonly number[]
}

export function columnsOf({ properties }: Pick<ObjectType, 'properties'>): PropertyColumns {
  const types = [...properties.values()]
  return {
    properties: [...properties.keys()],
    texts: types.flatMap(({ type }, index) => (isText(type) ? [index] : [])),
    wholes: types.flatMap(({ type }, index) => (isWhole(type) ? [index] : [])),
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

function isWhole(type: PropertyType): boolean {
  return type.kind !== 'scalar' || !OTHER_COLUMNS.has(type.type)
}

function isText(type: PropertyType): boolean {
  return type.kind === 'scalar' && type.type === 'string'
}

const NONE: readonly never[] = []

function toFieldMessage<T>({
  property,
  structField,
  values,
}: FieldValues<T>): FieldMessage<readonly T[]> {
  return [property, structField, values]
}

/** Returns the function that encodes the objects of a type. */
export function putEncoder(type: PropertyColumns): (object: StoredObject) => PutMessage {
  const { properties } = type
  const textColumns = new Set(type.texts.map((index) => properties[index]))
  return ({ pk, objectId, key, title, body, searchable }) => {
    const { columns, elements, texts, points } = searchable
    const others = texts.filter(({ property }) => !textColumns.has(property))
    return [
      pk,
      objectId,
      key,
      title,
      body,
      properties.map((property) => columns.get(property) ?? null),
      elements.length === 0 ? NONE : elements.map(toFieldMessage),
      others.length === 0 ? NONE : others.map(toFieldMessage),
      points.length === 0 ? NONE : points.flatMap((point) => [point.longitude, point.latitude]),
    ]
  }
}

/** Changes per message; more would block the readers of this thread. */
const PART_CHANGES = 1000

/** Yields the changes of a batch in messages. */
export async function* changeMessages(
  changes: readonly Change[] | AsyncIterable<readonly Change[]>,
  columns: PropertyColumns,
): AsyncGenerator<readonly ChangeMessage[]> {
  const encode = putEncoder(columns)
  const toMessage = (change: Change): ChangeMessage =>
    'delete' in change ? [change.delete] : encode(change.put)
  if (!Array.isArray(changes)) {
    for await (const part of changes as AsyncIterable<readonly Change[]>) yield part.map(toMessage)
    return
  }
  for (let at = 0; at < changes.length; at += PART_CHANGES) {
    yield changes.slice(at, at + PART_CHANGES).map(toMessage)
    await nextTurn()
  }
}

export function isPut(change: ChangeMessage): change is PutMessage {
  return change.length > 1
}

export function fieldOf([property, structField]: FieldMessage<unknown>): FieldId {
  return { property, structField }
}
