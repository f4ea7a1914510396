import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Change } from '../../object-store.ts'

/**
 * A change as it crosses to the writer thread. What crosses is copied, and a copy costs by the
 * number of its parts: flat lists cost an eighth of what the objects cost that they are made from.
 */
export type CrossingChange = CrossingPut | readonly [pk: string]

export type CrossingPut = readonly [
  pk: string,
  objectId: string,
  key: string,
  title: string | null,
  body: string,
  /** In the order of the properties that the head of the batch names. */
  columns: readonly (ColumnValue | null)[],
  elements: readonly CrossingField<readonly ColumnValue[]>[],
  texts: readonly CrossingField<readonly string[]>[],
  /** Longitude, latitude, longitude, latitude… */
  points: readonly number[],
]

/** The values of a property, or of a field of its structs. */
export type CrossingField<T> = readonly [
  property: string,
  structField: string | undefined,
  value: T,
]

const NONE: readonly never[] = []

export function toCrossing(change: Change, properties: readonly string[]): CrossingChange {
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

/** Changes that cross in one message; more at once would hold up the readers of this thread. */
const PART_CHANGES = 1000

/** The changes of a batch in the parts in which they cross. */
export async function* crossingParts(
  changes: readonly Change[] | AsyncIterable<readonly Change[]>,
  properties: readonly string[],
): AsyncGenerator<readonly CrossingChange[]> {
  const cross = (change: Change) => toCrossing(change, properties)
  if (!Array.isArray(changes)) {
    for await (const part of changes as AsyncIterable<readonly Change[]>) yield part.map(cross)
    return
  }
  for (let at = 0; at < changes.length; at += PART_CHANGES) {
    yield changes.slice(at, at + PART_CHANGES).map(cross)
    await nextTurn()
  }
}

export function isPut(change: CrossingChange): change is CrossingPut {
  return change.length > 1
}

export function fieldOf([property, structField]: CrossingField<unknown>): FieldId {
  return { property, structField }
}
