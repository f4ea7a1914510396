/** Sets of characters, as ranges of code points. */

import type { CharacterRange } from '../query.ts'

/** Every character that a stored text can contain: neither U+0000 nor surrogates. */
export const ALL_CHARACTERS: readonly CharacterRange[] = [
  [0x1, 0xd7ff],
  [0xe000, 0x10ffff],
]

const DIGITS: readonly CharacterRange[] = [[0x30, 0x39]]
/** Tab, line feed, vertical tab, form feed, carriage return, space. */
const SPACES: readonly CharacterRange[] = [
  [0x9, 0xd],
  [0x20, 0x20],
]
const WORD_CHARACTERS: readonly CharacterRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]

/** The characters of the escapes `\d`, `\s`, `\w` and their negations. */
export const CHARACTER_CLASSES: ReadonlyMap<string, readonly CharacterRange[]> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['s', SPACES],
  ['S', complement(SPACES)],
  ['w', WORD_CHARACTERS],
  ['W', complement(WORD_CHARACTERS)],
])

/** Sorts ranges and joins those that overlap or touch. */
export function normalised(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const joined: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

/** Returns the characters that are in none of the ranges, which are normalised. */
export function complement(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  return ALL_CHARACTERS.flatMap(([first, last]) => {
    const rest: CharacterRange[] = []
    let next = first
    for (const [from, to] of ranges) {
      if (to < next || from > last) continue
      if (from > next) rest.push([next, from - 1])
      next = to + 1
    }
    if (next <= last) rest.push([next, last])
    return rest
  })
}
