/**
 * The conditions that SQLite cannot test itself, for the statements of one connection. A condition
 * is prepared once per transaction; statements know it by a number, until the transaction ends.
 */
import type { DatabaseSync } from 'node:sqlite'
import { hasValueAt } from '../../../ontology/values/values-at.ts'
import { intervalTest, type ResolvedRule } from '../../../query/matching/interval.ts'
import { geoMatcher } from '../../../query/matching/match-geo.ts'
import type { Query } from '../../../query/query.ts'
import { patternTest } from '../../sql/compile/pattern-test.ts'
import { cutText } from '../../sql/text/text-index.ts'
import { type TextTestQuery, textTest } from './text-test.ts'

/** The conditions that are tested in JavaScript. */
export type MatcherQuery =
  | (Query & { kind: 'pattern' | 'geo' })
  /** A path into a struct leads to a value. */
  | { readonly kind: 'present'; readonly structField: string }
  | { readonly kind: 'resolvedInterval'; readonly rule: ResolvedRule }
  | TextTestQuery

type Matcher = (value: string) => boolean

export class Matchers {
  readonly #numbers = new Map<MatcherQuery, number>()
  readonly #matchers = new Map<number, Matcher>()
  #last = 0
  /** The number of conditions of the transaction; most have none. */
  size = 0

  /** Returns the number of a condition, which is the same throughout a transaction. */
  numberOf(query: MatcherQuery): number {
    const known = this.#numbers.get(query)
    if (known !== undefined) return known
    // Numbers are never reused: a statement that outlives its transaction must not run another test.
    this.#last += 1
    this.#numbers.set(query, this.#last)
    this.#matchers.set(this.#last, prepareMatcher(query))
    this.size += 1
    return this.#last
  }

  matches(number: number, value: unknown): boolean {
    const matcher = this.#matchers.get(number)
    if (matcher === undefined) throw new Error(`no matcher ${number}`)
    return typeof value === 'string' && matcher(value)
  }

  clear(): void {
    this.size = 0
    this.#numbers.clear()
    this.#matchers.clear()
  }
}

function prepareMatcher(query: MatcherQuery): Matcher {
  if (query.kind === 'geo') return geoMatcher(query)
  if (query.kind === 'terms') return textTest(query)
  if (query.kind === 'present') return (json) => hasValueAt(JSON.parse(json), query.structField)
  if (query.kind === 'resolvedInterval') {
    const test = intervalTest(query.rule)
    return (text) => {
      const { terms, wholes } = cutText(text)
      // A term without a position is a text of its own.
      return test(terms) || wholes.some((whole) => test([whole]))
    }
  }
  return patternTest(query.pattern)
}

/** Adds the SQL function `matches(value, matcher number)` to a connection. */
export function addMatcherFunction(db: DatabaseSync, matchers: Matchers): void {
  db.function('matches', { deterministic: true, directOnly: true }, (value, number) =>
    matchers.matches(number as number, value) ? 1 : 0,
  )
}
