/**
 * The texts of a row that repeat others, and are stored once: the JSON of a key that is the stored key
 * in quotes, and that of a title, which is a part of the body. Both took a tenth of a row.
 */
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { storedBytes } from '../../sql/compile/record-sql.ts'

/** Returns the primary key of a row as a JSON string; a prefix names the row. */
export function keyJson(row: '' | 'o.'): string {
  return `coalesce(${row}key, '"' || ${row}pk || '"')`
}

/** The primary key of a row, aliased `o`, as a JSON string. */
export const KEY_JSON = keyJson('o.')

/** Longer titles are stored. */
const LENGTH_BITS = 12
const MAX_LENGTH = (1 << LENGTH_BITS) - 1

/**
 * The title of a row, as a JSON string; null if it has none. Of a text, substr() counts every
 * character up to the title; of bytes, it does not.
 */
export const TITLE_JSON = `coalesce(o.title, CAST(substr(CAST(o.body AS BLOB),
  o.title_place >> ${LENGTH_BITS}, o.title_place & ${MAX_LENGTH}) AS TEXT))`

/** The bytes of these texts and of the body. */
export const ROW_BYTES = storedBytes({ key: KEY_JSON, title: TITLE_JSON })

/** Returns the JSON of a key as a row stores it: nothing if `KEY_JSON` derives it. */
export function storedKey({ pk, key }: Pick<StoredObject, 'pk' | 'key'>): string | null {
  return key.length === pk.length + 2 && key.slice(1, -1) === pk ? null : key
}

/** Returns the title as a row stores it: the number of its place in the body, or its JSON. */
export function storedTitle({
  title,
  body,
}: Pick<StoredObject, 'title' | 'body'>): string | number | null {
  if (title === null) return null
  const at = body.indexOf(title)
  const length = Buffer.byteLength(title)
  if (at === -1 || length > MAX_LENGTH) return title
  return titlePlace(Buffer.byteLength(body.slice(0, at)), length)
}

function titlePlace(bytesBefore: number, length: number): number {
  return (bytesBefore + 1) * (1 << LENGTH_BITS) + length
}

/** Returns the same of a row that is written. */
export function rowBytes(
  pk: string,
  key: string | null,
  title: string | number | null,
  body: string,
): number {
  const keyBytes = key === null ? Buffer.byteLength(pk) + 2 : Buffer.byteLength(key)
  const titleBytes = typeof title === 'number' ? title & MAX_LENGTH : Buffer.byteLength(title ?? '')
  return Buffer.byteLength(body) + keyBytes + titleBytes
}
