/** Properties of patterns that do not depend on an engine. */

import type { Pattern } from '../query.ts'
import { ALL_CHARACTERS } from './character-ranges.ts'

/** One character of any kind, line breaks included. */
export const ANY_CHARACTER: Pattern = { kind: 'characters', ranges: ALL_CHARACTERS }

/** Returns the number of characters of a pattern after its repetitions are written out. */
export function patternSize(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'literal':
      return pattern.text.length
    case 'characters':
      return 1 + (pattern.ranges.length >> 2)
    case 'sequence':
    case 'choice':
      return pattern.of.reduce((sum, one) => sum + patternSize(one), 1)
    case 'repeat':
      return patternSize(pattern.of) * Math.max(1, pattern.max ?? pattern.min + 1)
  }
}

/** Returns the text with which every match begins. */
export function literalPrefix(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'literal':
      return pattern.text
    case 'sequence': {
      let prefix = ''
      for (const one of pattern.of) {
        prefix += literalPrefix(one)
        if (one.kind !== 'literal') break
      }
      return prefix
    }
    default:
      return ''
  }
}

/** Returns the first text, by code point, after all texts with a prefix; undefined if none is. */
export function endOfPrefix(prefix: string): string | undefined {
  const characters = [...prefix]
  for (let at = characters.length - 1; at >= 0; at -= 1) {
    const code = characters[at]?.codePointAt(0) ?? 0
    if (code === 0x10ffff) continue
    // Surrogates are not characters.
    const next = code === 0xd7ff ? 0xe000 : code + 1
    return characters.slice(0, at).join('') + String.fromCodePoint(next)
  }
  return undefined
}
