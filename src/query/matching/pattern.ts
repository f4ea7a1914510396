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

/**
 * Returns the texts between the wildcards of a pattern whose only wildcards are any number of any
 * characters; undefined if it has others. `a*b` has the texts `a` and `b`, and `a*` has `a` and an
 * empty one.
 */
export function textsBetweenWildcards(pattern: Pattern): readonly string[] | undefined {
  const texts = ['']
  for (const one of pattern.kind === 'sequence' ? pattern.of : [pattern]) {
    if (one.kind === 'literal') texts.push(`${texts.pop()}${one.text}`)
    else if (isAnyText(one)) texts.push('')
    else return undefined
  }
  return texts
}

function isAnyText(pattern: Pattern): boolean {
  if (pattern.kind !== 'repeat' || pattern.min > 0 || pattern.max !== undefined) return false
  return JSON.stringify(pattern.of) === JSON.stringify(ANY_CHARACTER)
}

/** True if a pattern matches exactly the texts that begin with its literal prefix. */
export function isPrefixPattern(pattern: Pattern): boolean {
  const texts = textsBetweenWildcards(pattern)
  return texts?.length === 2 && texts[1] === ''
}

/** Returns a test of whether a text consists of the given texts, with any text between each two. */
export function wildcardTest(texts: readonly string[]): (text: string) => boolean {
  const [first = '', ...others] = texts
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const other of others) {
      const found = text.indexOf(other, at)
      if (found < 0) return false
      at = found + other.length
    }
    return text.length - last.length >= at && text.endsWith(last)
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
