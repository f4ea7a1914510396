import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'

/** Names that columns of files have, and the API names made of them. */

/** Kept as they are. A point is valid too, but queries write one between a struct and its field. */
const FIT = new RegExp(`^(?!__proto__$)[A-Za-z0-9_-]{1,${API_NAME_MAX_LENGTH}}$`)

/** Letters that do not come apart into a Latin one and its marks. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'o',
  Ø: 'O',
  œ: 'oe',
  Œ: 'Oe',
  ł: 'l',
  Ł: 'L',
}

/** The property that a column is taken for: the same name if it can be one, else made of its words. */
export function propertyNameOf(column: string): string {
  if (FIT.test(column)) return column
  return camelName(wordsOf(column)) || 'column'
}

/** `US Gross` → US, Gross; `latOrigin` → lat, Origin. Letters outside ASCII become their numbers. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæÆøØœŒłŁ]/g, (letter) => LATIN[letter] ?? '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[\p{L}\p{N}]/gu, (letter) =>
      letter <= '\x7f' ? letter : ` u${letter.codePointAt(0)?.toString(16)} `,
    )
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
}

/** The words in lower case, each but the first with a capital, cut to what an API name may have. */
export function camelName(words: readonly string[]): string {
  return words
    .map((word) => word.toLowerCase())
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
    .slice(0, API_NAME_MAX_LENGTH)
}

/** The name itself, or with the first number behind it that makes it new. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  for (let number = 2; ; number += 1) {
    const end = String(number)
    const numbered = name.slice(0, API_NAME_MAX_LENGTH - end.length) + end
    if (!isTaken(numbered)) return numbered
  }
}
