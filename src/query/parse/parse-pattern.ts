/**
 * Parses wildcards and regular expressions into patterns. The syntax is a subset that every engine
 * can express with the same meaning; everything else is refused.
 */

import {
  PATTERN_MAX_DEPTH,
  PATTERN_MAX_LENGTH,
  PATTERN_MAX_REPEAT,
  PATTERN_MAX_SIZE,
} from '../../contract/limits.ts'
import { refuse } from '../../ontology/values/refused-value.ts'
import { CHARACTER_CLASSES, complement, normalised } from '../matching/character-ranges.ts'
import { ANY_CHARACTER, patternSize } from '../matching/pattern.ts'
import type { CharacterRange, Pattern } from '../query.ts'

/** Parses a wildcard: `*` is any text, `?` any character, `\` escapes. Throws `RefusedValue`. */
export function parseWildcard(written: string): Pattern {
  const characters = charactersOf(written)
  const parts: Pattern[] = []
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]
    if (character === '*') {
      parts.push({ kind: 'repeat', of: ANY_CHARACTER, min: 0, max: undefined })
    } else if (character === '?') {
      parts.push(ANY_CHARACTER)
    } else {
      if (character === '\\') at += 1
      const text = characters[at] ?? refuse('ends with \\, which escapes the next character')
      parts.push({ kind: 'literal', text })
    }
  }
  return checkSize(sequence(parts))
}

/** Parses a regular expression. Throws `RefusedValue`, which names the part that is refused. */
export function parseRegex(written: string): Pattern {
  return checkSize(new RegexParser(charactersOf(written)).parse())
}

function charactersOf(written: string): readonly string[] {
  if (written.length > PATTERN_MAX_LENGTH) {
    refuse(`is longer than ${PATTERN_MAX_LENGTH} characters`)
  }
  if (written.includes('\0')) refuse('contains the character U+0000')
  if (!written.isWellFormed()) refuse('contains an unpaired surrogate')
  return [...written]
}

function checkSize(pattern: Pattern): Pattern {
  if (patternSize(pattern) > PATTERN_MAX_SIZE) {
    refuse(`has more than ${PATTERN_MAX_SIZE} characters after its repetitions are written out`)
  }
  return pattern
}

/** Joins neighbouring literals, so that equal patterns have equal forms. */
function sequence(parts: readonly Pattern[]): Pattern {
  const joined: Pattern[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'literal' && last?.kind === 'literal') {
      joined[joined.length - 1] = { kind: 'literal', text: last.text + part.text }
    } else if (part.kind !== 'literal' || part.text !== '') {
      joined.push(part)
    }
  }
  const [only] = joined
  return joined.length === 1 && only !== undefined ? only : { kind: 'sequence', of: joined }
}

/** A recursive descent over the characters of a regular expression. */
class RegexParser {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
  }

  parse(): Pattern {
    const pattern = this.#choice()
    if (this.#at < this.#characters.length) refuse('has a ) without a (')
    return pattern
  }

  #peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead]
  }

  /** Returns the next character if it is the expected one, or if any is expected. */
  #take(expected?: string): string | undefined {
    const character = this.#peek()
    if (character === undefined || (expected !== undefined && character !== expected)) {
      return undefined
    }
    this.#at += 1
    return character
  }

  #choice(): Pattern {
    const options = [this.#sequence()]
    while (this.#take('|') !== undefined) options.push(this.#sequence())
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', of: options }
  }

  #sequence(): Pattern {
    const parts: Pattern[] = []
    for (let next = this.#peek(); next !== undefined && !'|)'.includes(next); next = this.#peek()) {
      parts.push(this.#repeated(this.#atom()))
    }
    return sequence(parts)
  }

  #atom(): Pattern {
    const character = this.#take() ?? ''
    switch (character) {
      case '.':
        return ANY_CHARACTER
      case '(':
        return this.#group()
      case '[':
        return this.#bracket()
      case '"':
        return this.#quoted()
      case '\\': {
        const escaped = this.#escaped()
        return typeof escaped === 'string'
          ? { kind: 'literal', text: escaped }
          : { kind: 'characters', ranges: escaped }
      }
      case '*':
      case '+':
      case '?':
      case '{':
        return refuse(`has ${character} with nothing to repeat; escape it as \\${character}`)
      case '^':
      case '$':
        return refuse(
          `has the anchor ${character}; a pattern always matches the whole text, so remove it, or escape it as \\${character}`,
        )
      default:
        return { kind: 'literal', text: character }
    }
  }

  #group(): Pattern {
    if (this.#peek() === '?') refuse(`has the unsupported group (?${this.#peek(1) ?? ''}`)
    this.#depth += 1
    if (this.#depth > PATTERN_MAX_DEPTH) refuse(`nests groups more than ${PATTERN_MAX_DEPTH} deep`)
    const pattern = this.#choice()
    if (this.#take(')') === undefined) refuse('has a ( without a )')
    this.#depth -= 1
    return pattern
  }

  #quoted(): Pattern {
    const end = this.#characters.indexOf('"', this.#at)
    if (end < 0) refuse('has a " without a second one')
    const text = this.#characters.slice(this.#at, end).join('')
    this.#at = end + 1
    return { kind: 'literal', text }
  }

  /** Returns the character after a backslash, or the characters of a class. */
  #escaped(): string | readonly CharacterRange[] {
    const character = this.#take() ?? refuse('ends with \\, which escapes the next character')
    const ranges = CHARACTER_CLASSES.get(character)
    if (ranges !== undefined) return ranges
    if (/[0-9A-Za-z]/.test(character)) refuse(`has the unsupported escape \\${character}`)
    return character
  }

  #bracket(): Pattern {
    const isNegated = this.#take('^') !== undefined
    const ranges: CharacterRange[] = []
    for (let isFirst = true; isFirst || this.#take(']') === undefined; isFirst = false) {
      if (isFirst && this.#peek() === ']') refuse('has an empty [], or a ] that must be escaped')
      ranges.push(...this.#bracketItem(isFirst))
    }
    const joined = normalised(ranges)
    const accepted = isNegated ? complement(joined) : joined
    if (accepted.length === 0) refuse('has a [^…] that excludes every character')
    return { kind: 'characters', ranges: accepted }
  }

  #bracketItem(isFirst: boolean): readonly CharacterRange[] {
    const from = this.#bracketCharacter()
    if (typeof from !== 'string') return from
    const isRange = this.#peek() === '-' && this.#peek(1) !== ']' && !(isFirst && from === '-')
    const low = from.codePointAt(0) ?? 0
    if (!isRange) return [[low, low]]
    this.#take('-')
    const to = this.#bracketCharacter()
    if (typeof to !== 'string') refuse('has a range that ends with a class')
    const high = to.codePointAt(0) ?? 0
    if (high < low) refuse(`has the range ${from}-${to}, whose end is before its start`)
    return [[low, high]]
  }

  #bracketCharacter(): string | readonly CharacterRange[] {
    const character = this.#take() ?? refuse('has a [ without a ]')
    if (character === '\\') return this.#escaped()
    const next = this.#peek()
    if (character === '[' && next !== undefined && ':.='.includes(next)) {
      refuse(`has the unsupported class [${next}`)
    }
    return character
  }

  #repeated(of: Pattern): Pattern {
    const bounds = this.#bounds()
    if (bounds === undefined) return of
    const next = this.#peek()
    if (next !== undefined && '*+?{'.includes(next)) {
      refuse(`has ${next} after a repetition; put the repetition in a group to repeat it`)
    }
    const [min, max] = bounds
    return { kind: 'repeat', of, min, max }
  }

  #bounds(): readonly [min: number, max: number | undefined] | undefined {
    if (this.#take('*') !== undefined) return [0, undefined]
    if (this.#take('+') !== undefined) return [1, undefined]
    if (this.#take('?') !== undefined) return [0, 1]
    if (this.#take('{') === undefined) return undefined
    const end = this.#characters.indexOf('}', this.#at)
    const text = this.#characters.slice(this.#at, Math.max(end, this.#at)).join('')
    const match = /^([0-9]{1,3})(,([0-9]{1,3})?)?$/.exec(text)
    if (match === null) return refuse(`has {${text} that is not a repetition; escape it as \\{`)
    this.#at = end + 1
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === undefined ? undefined : Number(match[3])
    if (Math.max(min, max ?? 0) > PATTERN_MAX_REPEAT) {
      refuse(`repeats more than ${PATTERN_MAX_REPEAT} times`)
    }
    if (max !== undefined && max < min) refuse(`has {${text}}, whose end is before its start`)
    return [min, max]
  }
}
