/** Arbitraries of wildcards and regular expressions, most of which match some of the texts. */
import fc from 'fast-check'
import type { RequestQuery } from './query-model.ts'

export function patternQueries(pool: readonly string[]): fc.Arbitrary<RequestQuery> {
  const texts = fc.constantFrom(...(pool.length > 0 ? pool : ['']))
  return fc.oneof(
    texts.chain((text) => altered(text, WILDCARDS)).map((value) => ({ type: 'wildcard', value })),
    texts.chain((text) => altered(text, REGEXES)).map((value) => ({ type: 'regex', value })),
    regexes(pool.join('')).map((value) => ({ type: 'regex', value })),
  )
}

/** How a character of a text can be written in a pattern that matches it. */
type Spellings = (character: string) => readonly string[]

const WILDCARDS: Spellings = (character) => [
  /[*?\\]/.test(character) ? `\\${character}` : character,
  `\\${character}`,
  '?',
  '*',
  '',
]

const isPlain = (character: string) => /^[\p{L}\p{N} ]$/u.test(character)

const REGEXES: Spellings = (character) => {
  const escaped = /^[0-9A-Za-z]$/.test(character) ? character : `\\${character}`
  return [
    escaped,
    isPlain(character) ? character : escaped,
    character === '"' ? escaped : `"${character}"`,
    '.',
    `[${escaped}]`,
    `[^${escaped}]`,
    `(x|${escaped})`,
    `${escaped}+`,
    `${escaped}{1,2}`,
    '.*',
    '\\w',
    '\\W?',
    '\\S',
    '',
  ]
}

/** Writes each character as it is, or in another way. */
function altered(text: string, spellings: Spellings): fc.Arbitrary<string> {
  const characters = [...text].slice(0, 20)
  const rest = text.length > characters.join('').length ? ['*'] : []
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(13)), {
      minLength: characters.length,
      maxLength: characters.length,
    })
    .map((choices) =>
      [
        ...characters.map((character, index) => {
          const ways = spellings(character)
          return ways[(choices[index] ?? 0) % ways.length]
        }),
        ...(spellings === WILDCARDS ? rest : rest.map(() => '.*')),
      ].join(''),
    )
}

/** Any regular expression over a few characters. */
function regexes(alphabet: string): fc.Arbitrary<string> {
  const letters = [...new Set(`ab\n\u{1f600}É${alphabet}`)].slice(0, 40)
  const letter = fc
    .constantFrom(...letters)
    .map((one) => (/^[0-9A-Za-z]$/.test(one) ? one : `\\${one}`))
  const { pattern } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      letter,
      fc.constantFrom('.', '\\d', '\\D', '\\s', '\\S', '\\w', '\\W', '"a.b"', '""', '()'),
      fc
        .tuple(fc.constantFrom('', '^'), fc.array(letter, { minLength: 1, maxLength: 3 }))
        .map(([negated, some]) => `[${negated}${some.join('')}]`),
      fc.constantFrom('[a-c]', '[^a-b]', '[\\d_]', '[-x]', '[a-]', '[\u{10400}-\u{1f600}]'),
      tie('pattern').map((inner) => `(${inner})`),
    ),
    pattern: fc
      .array(
        fc
          .array(
            fc
              .tuple(
                tie('atom'),
                fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '{0}'),
              )
              .map((parts) => parts.join('')),
            { maxLength: 4 },
          )
          .map((parts) => parts.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((options) => options.join('|')),
  }))
  return pattern
}
