/** Derives API names from the column names of files. */
import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'

/**
 * Names that stay unchanged. Dots are valid too, but in a query they separate struct and field. Those
 * with two underscores are members of the records of v2.
 */
const UNCHANGED = new RegExp(
  `^(?!__(?:proto__|rid|primaryKey|apiName|score|title)$)[A-Za-z0-9_-]{1,${API_NAME_MAX_LENGTH}}$`,
)

/** Letters that Unicode normalisation does not split into a Latin letter and its marks. */
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

/** Returns the property name for a column: the same name if it is valid, else built of its words. */
export function propertyNameOf(column: string): string {
  if (UNCHANGED.test(column)) return column
  return camelName(wordsOf(column)) || 'column'
}

/** Splits a name: `US Gross` → US, Gross; `latOrigin` → lat, Origin. Non-ASCII letters → `u4e2d`. */
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

/** Joins words in camel case, cut to the maximum length of an API name. */
export function camelName(words: readonly string[]): string {
  return words
    .map((word) => word.toLowerCase())
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
    .slice(0, API_NAME_MAX_LENGTH)
}

/** Returns the name, with the first number appended that makes it unique if it is taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  for (let number = 2; ; number += 1) {
    const end = String(number)
    const numbered = name.slice(0, API_NAME_MAX_LENGTH - end.length) + end
    if (!isTaken(numbered)) return numbered
  }
}
