/** Reading JSON without losing digits. */

/** Only with so many digits, or with an exponent, can a number be more than a double holds. */
const MAY_LOSE_DIGITS = /\d{16}/

export interface ExactJson {
  readonly value: unknown
  /** Whether some whole numbers are given as big integers, because a number would lose digits. */
  readonly hasBigIntegers: boolean
}

/** Throws what `JSON.parse` throws. */
export function parseExactly(text: string): ExactJson {
  if (!MAY_LOSE_DIGITS.test(text)) return { value: JSON.parse(text), hasBigIntegers: false }
  let hasBigIntegers = false
  const value = parseWithSource(text, (part, source) => {
    if (typeof part !== 'number' || Number.isSafeInteger(part)) return part
    if (source === undefined || !/^-?\d+$/.test(source)) return part
    hasBigIntegers = true
    return BigInt(source)
  })
  return { value, hasBigIntegers }
}

/** `JSON.parse` tells how a number is written; the types of the language do not know that yet. */
function parseWithSource(
  text: string,
  revive: (value: unknown, source: string | undefined) => unknown,
): unknown {
  type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown
  const reviver: Reviver = (_name, value, { source }) => revive(value, source)
  return JSON.parse(text, reviver as (name: string, value: unknown) => unknown)
}
