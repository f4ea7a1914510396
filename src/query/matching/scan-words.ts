/** Splits a folded text into parts, and says which of them are written as one word. */
import { classOf, DENSE, SEPARATOR } from './character-classes.ts'

/** A run of letters, digits and marks, or of characters of a script without spaces. */
export interface Part {
  readonly text: string
  readonly isDense: boolean
  readonly start: number
  readonly end: number
}

export function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let [start, current]: [number, number] = [0, SEPARATOR]
  for (let at = 0; at <= text.length; ) {
    const code = text.codePointAt(at)
    const next = code === undefined ? SEPARATOR : classOf(code)
    if (next !== current) {
      if (current !== SEPARATOR) {
        parts.push({ text: text.slice(start, at), isDense: current === DENSE, start, end: at })
      }
      start = at
      current = next
    }
    at += code !== undefined && code > 0xffff ? 2 : 1
  }
  return parts
}

/** Returns the overlapping pairs of a run of characters, and its last character. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.map((character, at) => character + (characters[at + 1] ?? ''))
}

/** Words of more parts are not indexed as a whole. */
export const MAX_JOINED_PARTS = 4

/** True if two neighbouring parts are also searched as one term: `e-mail`, `O'Brien`, `U.S.`, `AT&T`. */
export function isJoined(text: string, one: Part, other: Part): boolean {
  if (other.start - one.end !== 1 || one.isDense || other.isDense) return false
  switch (text[one.end]) {
    case '-':
    case "'":
    case '&':
      return true
    case '.':
      // Only in abbreviations: the parts of `file.txt` and `3.14` have nothing in common.
      return isLetter(one.text) && isLetter(other.text)
    default:
      return false
  }
}

/** One UTF-16 code unit that is not a digit. */
function isLetter(text: string): boolean {
  return text.length === 1 && !(text >= '0' && text <= '9')
}

/** Returns the signs that belong to a part: `++` of `C++`, `#` of `C#`. */
export function symbolsAfter(text: string, { isDense, end }: Part): string {
  if (isDense) return ''
  let at = end
  while (at < end + MAX_SYMBOLS && (text[at] === '+' || text[at] === '#')) at += 1
  // In `a+b`, the sign separates.
  const after = text.codePointAt(at)
  return after !== undefined && classOf(after) !== SEPARATOR ? '' : text.slice(end, at)
}

/** Further signs are not part of a name. */
const MAX_SYMBOLS = 2
