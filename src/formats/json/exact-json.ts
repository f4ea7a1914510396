/** Parses JSON without losing digits of large integers. */

/** Integers with fewer digits are exact as doubles. */
const INEXACT_DIGITS = 16

export interface ExactJson {
  readonly value: unknown
  /** True if the value contains bigints, for integers that a double cannot represent. */
  readonly hasBigIntegers: boolean
}

/** Parses JSON like `JSON.parse`, with bigints for unsafe integers. */
export function parseExactly(text: string): ExactJson {
  if (!mayLoseDigits(text)) return { value: JSON.parse(text), hasBigIntegers: false }
  let hasBigIntegers = false
  const value = parseWithSource(text, (part, source) => {
    if (typeof part !== 'number' || Number.isSafeInteger(part)) return part
    if (source === undefined || !/^-?\d+$/.test(source)) return part
    hasBigIntegers = true
    return BigInt(source)
  })
  return { value, hasBigIntegers }
}

/** True if a number in the text may have more digits than a double. */
export function mayLoseDigits(text: string): boolean {
  // So many digits in a row cover one of these positions, so the others need not be read.
  for (let at = INEXACT_DIGITS - 1; at < text.length; at += INEXACT_DIGITS) {
    if (isDigit(text, at) && digitsAround(text, at) >= INEXACT_DIGITS) return true
  }
  return false
}

/** Returns the number of digits in a row that include a position. */
function digitsAround(text: string, at: number): number {
  let [start, end] = [at, at + 1]
  while (isDigit(text, start - 1)) start -= 1
  while (isDigit(text, end)) end += 1
  return end - start
}

/** False outside the text, where the code is NaN. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

/** Parses JSON like `parseExactly`, with the texts of fractions that would lose digits. */
export function parseFractions(text: string, losesDigits: (source: string) => boolean): unknown {
  return parseWithSource(text, (part, source) => {
    if (typeof part !== 'number' || source === undefined || Number.isSafeInteger(part)) return part
    if (/^-?\d+$/.test(source)) return BigInt(source)
    return losesDigits(source) ? source : part
  })
}

/** Passes the source text of each value, which TypeScript's types of `JSON.parse` do not have yet. */
function parseWithSource(
  text: string,
  revive: (value: unknown, source: string | undefined) => unknown,
): unknown {
  type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown
  const reviver: Reviver = (_name, value, { source }) => revive(value, source)
  return JSON.parse(text, reviver as (name: string, value: unknown) => unknown)
}
