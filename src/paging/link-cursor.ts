/**
 * The cursor of a walk over links, whose pages end after an object or between its links. The text that
 * a page token carries where other walks have a primary key is `SIDE LENGTH` in base 36, the number of
 * the link type and the length of the object's key, then a line feed, the key of the object, and that
 * of the last linked object. After all links of an object it is a line feed and its key.
 */
import type { Cursor } from './cursor.ts'

export interface LinkCursor {
  /** The stored key of the object whose links were read last. */
  readonly source: string
  /** Where the page ended among its links; undefined after the last of them. */
  readonly inside: InsideLinks | undefined
}

export interface InsideLinks {
  /** The index of the link type among those of the request. */
  readonly side: number
  /** The stored key of the last linked object; undefined before the first. */
  readonly linked: string | undefined
}

const RADIX = 36

export function encodeLinkCursor({ source, inside }: LinkCursor): Cursor {
  if (inside === undefined) return { pk: `\n${source}`, version: 0 }
  const numbers = [inside.side, source.length].map((number) => number.toString(RADIX))
  return { pk: `${numbers.join(' ')}\n${source}${inside.linked ?? ''}`, version: 0 }
}

/** Decodes the cursor of a token that was opened, so that it is known to be valid. */
export function decodeLinkCursor({ pk }: Cursor): LinkCursor {
  const end = pk.indexOf('\n')
  const keys = pk.slice(end + 1)
  if (end === 0) return { source: keys, inside: undefined }
  const [side = 0, length = 0] = pk
    .slice(0, end)
    .split(' ')
    .map((text) => Number.parseInt(text, RADIX))
  // No key is empty.
  const linked = keys.slice(length) || undefined
  return { source: keys.slice(0, length), inside: { side, linked } }
}
