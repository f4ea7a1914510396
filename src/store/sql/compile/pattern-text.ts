/**
 * Writes patterns as regular expressions. RE2 and PostgreSQL agree on the operators used here; they
 * differ only in the escape of a code point. Every other character than an ASCII letter or digit is
 * escaped, and classes are written as code points, so that neither locale nor flags matter.
 */
import { complement } from '../../../query/matching/character-ranges.ts'
import type { CharacterRange, Pattern } from '../../../query/query.ts'

type Spell = (code: number) => string

/** The escapes of code points in the two engines. */
const ESCAPES = {
  re2: (code) => `\\x{${code.toString(16)}}`,
  postgres: (code) => `\\U${code.toString(16).padStart(8, '0')}`,
} as const satisfies Record<string, Spell>

/** Returns a regular expression for whole texts. In RE2, `.` must match line breaks. */
export function patternText(pattern: Pattern, engine: keyof typeof ESCAPES): string {
  return `^(?:${write(pattern, ESCAPES[engine])})$`
}

function write(pattern: Pattern, spell: Spell): string {
  switch (pattern.kind) {
    case 'literal':
      return Array.from(pattern.text, (one) => writeCharacter(one.codePointAt(0) ?? 0, spell)).join(
        '',
      )
    case 'characters':
      return writeClass(pattern.ranges, spell)
    case 'sequence':
      return pattern.of
        .map((one) => (one.kind === 'choice' ? grouped(one, spell) : write(one, spell)))
        .join('')
    case 'choice':
      return pattern.of.map((one) => write(one, spell)).join('|')
    case 'repeat':
      return writeRepeat(pattern, spell)
  }
}

function writeRepeat({ of, min, max }: Pattern & { kind: 'repeat' }, spell: Spell): string {
  if (max === 0) return ''
  const atom = of.kind === 'characters' ? write(of, spell) : grouped(of, spell)
  if (max === undefined) return min === 0 ? `${atom}*` : min === 1 ? `${atom}+` : `${atom}{${min},}`
  return min === 0 && max === 1 ? `${atom}?` : `${atom}{${min},${max}}`
}

function grouped(pattern: Pattern, spell: Spell): string {
  return `(?:${write(pattern, spell)})`
}

const PLAIN = /^[0-9A-Za-z]$/

function writeCharacter(code: number, spell: Spell): string {
  const character = String.fromCodePoint(code)
  return PLAIN.test(character) ? character : spell(code)
}

const LAST_CHARACTER = 0x10ffff

/** A class that contains the last character is mostly a negated one, and shorter as such. */
function writeClass(ranges: readonly CharacterRange[], spell: Spell): string {
  if (ranges.at(-1)?.[1] !== LAST_CHARACTER) return `[${writeRanges(ranges, spell)}]`
  const excluded = complement(ranges)
  return excluded.length === 0 ? '.' : `[^${writeRanges(excluded, spell)}]`
}

function writeRanges(ranges: readonly CharacterRange[], spell: Spell): string {
  return ranges
    .map(([from, to]) => {
      const first = writeCharacter(from, spell)
      return from === to ? first : `${first}-${writeCharacter(to, spell)}`
    })
    .join('')
}
