/**
 * The position of a walk over several object types, as the text that a page token carries where
 * other walks have a primary key: `PART VERSION,VERSION…` in base 36, a line feed, and the key.
 */

export interface SetPosition {
  /** The index of the object type that the page ended with. */
  readonly part: number
  readonly pk: string
  /** The versions of all object types; undefined in default paging. */
  readonly versions: readonly number[] | undefined
}

const RADIX = 36

export function encodeSetPosition({ part, pk, versions = [] }: SetPosition): string {
  const numbers = versions.map((version) => version.toString(RADIX)).join(',')
  return `${part.toString(RADIX)} ${numbers}\n${pk}`
}

/** Decodes the text of a token that was opened, so that it is known to be valid. */
export function decodeSetPosition(text: string): SetPosition {
  const end = text.indexOf('\n')
  const [part = '', numbers = ''] = text.slice(0, end).split(' ')
  const versions = numbers === '' ? undefined : numbers.split(',').map(parseNumber)
  return { part: parseNumber(part), pk: text.slice(end + 1), versions }
}

function parseNumber(text: string): number {
  return Number.parseInt(text, RADIX)
}
