/**
 * Changes as messages to the writer thread. Messages are copied, and the cost of a copy depends on
 * the number of objects: flat arrays cost an eighth of the objects that they are made from.
 */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { PropertyType, ScalarType } from '../../../ontology/definition/property-type.ts'
import { typeAt } from '../../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { columnFieldsOf, type FieldId } from '../../../ontology/values/searchable-values.ts'
import { objectChecksum } from '../../object-checksum.ts'
import { type Batch, type Change, type ChangePart, isEncoded } from '../../object-store.ts'
import { storedKey, storedTitle } from '../file/row-texts.ts'

/** A change as a message: a put, or the key of an object to delete. */
export type ChangeMessage = PutMessage | readonly [pk: string]

export type PutMessage = readonly [
  pk: string,
  objectId: string,
  /** See row-texts.ts. */
  key: string | null,
  title: string | number | null,
  body: string,
  /** In the order of `PropertyColumns.fields`. */
  columns: readonly (ColumnValue | null)[],
  checksum: number,
]

/** The fields of a type that have one value, in the order of the column values of a put. */
export interface PropertyColumns {
  /** The properties, and the struct fields that are outside arrays. */
  readonly fields: readonly FieldId[]
  /** The indexes of the fields that are texts. */
  readonly texts: readonly number[]
  /** The indexes of the fields whose column values are whole numbers of at most 32 bits. */
  readonly wholes: readonly number[]
  /** The indexes of the fields with numbers that have fractions, with dates or with times. */
  readonly measures: readonly number[]
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
    measures: types.flatMap((type, index) => (isMeasured(type) ? [index] : [])),
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

const MEASURES: ReadonlySet<ScalarType> = new Set([
  'decimal',
  'date',
  'timestamp',
  'float',
  'double',
])

function isMeasured(type: PropertyType | undefined): boolean {
  return type?.kind === 'scalar' && MEASURES.has(type.type)
}

function isText(type: PropertyType | undefined): boolean {
  return type?.kind === 'scalar' && type.type === 'string'
}

export function toPutMessage(object: StoredObject): PutMessage {
  const { pk, objectId, body, searchable } = object
  return [
    pk,
    objectId,
    storedKey(object),
    storedTitle(object),
    body,
    searchable.columns.values,
    objectChecksum(object),
  ]
}

/** Changes per message; more would block the readers of this thread. */
const PART_CHANGES = 1000

/** Some changes of a batch as a message to the writer thread, see encoded-rows.ts. */
export interface EncodedRows {
  /** A serialised table of the keys of the changes. */
  readonly keys: Uint8Array<ArrayBuffer>
  /** A serialised table of the rows of the puts. */
  readonly rows: Uint8Array<ArrayBuffer>
}

/** A part of a batch as items of a job. */
export interface ItemPart {
  /** Changes, or one item with encoded changes. */
  readonly items: readonly (ChangeMessage | EncodedRows)[]
  readonly count: number
  /** The length of the bodies; not known of encoded changes, which are many. */
  readonly length: number
  readonly transfer: readonly ArrayBuffer[]
}

/** Yields the changes of a batch in messages. */
export async function* changeMessages(changes: Batch['changes']): AsyncGenerator<ItemPart> {
  const toItems = (part: readonly Change[]): ItemPart => {
    let length = 0
    const items = part.map((change): ChangeMessage => {
      if ('delete' in change) return [change.delete]
      length += change.put.body.length
      return toPutMessage(change.put)
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
    if (at > 0) await nextTurn()
    yield toItems(changes.slice(at, at + PART_CHANGES))
  }
}
