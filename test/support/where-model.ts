/** The reference model of the query types that only v2 has, written from the contract. */
import { RE2JS } from 're2js'
import type { RequestQuery } from './query-model.ts'
import type { TextMatch } from './query-terms.ts'
import { holdsGeo } from './where-geo-model.ts'
import { holdsInterval } from './where-interval-model.ts'

/** The text queries of v2 by their meaning. */
export const TEXT_QUERIES = {
  containsAllTerms: 'allTerms',
  containsAnyTerm: 'anyTerm',
  containsAllTermsInOrder: 'phrase',
  containsAllTermsInOrderPrefixLastTerm: 'prefix',
  startsWith: 'prefix',
} as const satisfies Record<string, TextMatch>

/** True if one of the values of the field satisfies a condition. */
export function holdsWhere(query: RequestQuery, values: readonly unknown[]): boolean {
  switch (query.type) {
    case 'wildcard':
    case 'regex': {
      const written = String(query['value'])
      const expression = query.type === 'regex' ? fromRegex(written) : fromWildcard(written)
      return values.some((value) => expression.test(String(value)))
    }
    case 'geoShapeV2':
    case 'withinDistanceOf':
    case 'withinBoundingBox':
    case 'intersectsBoundingBox':
    case 'doesNotIntersectBoundingBox':
    case 'withinPolygon':
    case 'intersectsPolygon':
    case 'doesNotIntersectPolygon':
      return holdsGeo(query, values)
    case 'interval':
      return holdsInterval(query['rule'], values.map(String))
    default:
      throw new Error(`the model does not know ${query.type}`)
  }
}

function literal(character: string): string {
  return `\\x{${character.codePointAt(0)?.toString(16)}}`
}

/** A pattern that whole texts are tested with. */
interface WholeText {
  readonly test: (text: string) => boolean
}

/** Matches in linear time: with JavaScript's own engine, a random pattern could run for hours. */
function whole(source: string): WholeText {
  const expression = RE2JS.compile(source, RE2JS.DOTALL)
  return { test: (text) => expression.matches(text) }
}

function fromWildcard(written: string): WholeText {
  const source = written.replaceAll(/\\(.)|([*?])|(.)/gsu, (_, escaped, sign, plain) =>
    sign === '*' ? '.*' : sign === '?' ? '.' : literal(escaped ?? plain),
  )
  return whole(source)
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '[0-9]',
  D: '[^0-9]',
  s: '[\t-\r ]',
  S: '[^\t-\r ]',
  w: '[0-9A-Z_a-z]',
  W: '[^0-9A-Z_a-z]',
}

/** Rewrites the few things that RE2 writes differently: quotes, escapes and classes. */
function fromRegex(written: string): WholeText {
  const source = written.replaceAll(
    /"([^"]*)"|\[(\^?)((?:\\.|[^\]\\])*)\]|\\(.)|([^()|*+?{}.0-9,])/gsu,
    (whole, quoted, negated, bracket, escaped, plain) => {
      if (quoted !== undefined) return `(?:${[...quoted].map(literal).join('')})`
      if (bracket !== undefined) return `[${negated}${bracketSource(bracket)}]`
      if (escaped !== undefined) return CLASSES[escaped] ?? literal(escaped)
      return plain === undefined ? whole : literal(plain)
    },
  )
  return whole(source)
}

function bracketSource(written: string): string {
  return written.replaceAll(/\\(.)|(.)/gsu, (_, escaped, plain) => {
    if (escaped !== undefined) return CLASSES[escaped]?.slice(1, -1) ?? literal(escaped)
    return plain === '-' ? '-' : literal(plain)
  })
}
