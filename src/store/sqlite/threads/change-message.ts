/**
 * Changes as messages to the writer thread. Messages are copied, and the cost of a copy depends on
 * the number of objects: flat arrays cost an eighth of the objects that they are made from.
 */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Change } from '../../object-store.ts'

/** A change as a message: a put, or the key of an object to delete. */
export type ChangeMessage = PutMessage | readonly [pk: string]

export type PutMessage = readonly [
  pk: string,
  objectId: string,
  key: string,
  title: string | null,
  body: string,
  /** In the order of `BatchMessage.properties`. */
  columns: readonly (ColumnValue | null)[],
  elements: readonly FieldMessage<readonly ColumnValue[]>[],
  texts: readonly FieldMessage<readonly string[]>[],
  /** Longitude, latitude, longitude, latitude… */
  points: readonly number[],
]

/** The values of a property or of a struct field. */
export type FieldMessage<T> = readonly [property: string, structField: string | undefined, value: T]

const NONE: readonly never[] = []

function toChangeMessage(change: Change, properties: readonly string[]): ChangeMessage {
  if ('delete' in change) return [change.delete]
  const { pk, objectId, key, title, body, searchable } = change.put
  const { columns, elements, texts, points } = searchable
  return [
    pk,
    objectId,
    key,
    title,
    body,
    properties.map((property) => columns.get(property) ?? null),
    elements.map(({ property, structField, values }) => [property, structField, values]),
    texts.map(({ property, structField, values }) => [property, structField, values]),
    points.length === 0 ? NONE : points.flatMap((point) => [point.longitude, point.latitude]),
  ]
}

/** Changes per message; more would block the readers of this thread. */
const PART_CHANGES = 1000

/** Yields the changes of a batch in messages. */
export async function* changeMessages(
  changes: readonly Change[] | AsyncIterable<readonly Change[]>,
  properties: readonly string[],
): AsyncGenerator<readonly ChangeMessage[]> {
  const toMessage = (change: Change) => toChangeMessage(change, properties)
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
