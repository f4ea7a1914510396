/** Tests texts against patterns, for engines without regular expressions. */
import { RE2JS } from 're2js'
import { textsBetweenWildcards, wildcardTest } from '../../../query/matching/pattern.ts'
import type { Pattern } from '../../../query/query.ts'
import { patternText } from './pattern-text.ts'

/** Returns a test of whole texts. */
export function patternTest(pattern: Pattern): (text: string) => boolean {
  const texts = textsBetweenWildcards(pattern)
  if (texts !== undefined) return wildcardTest(texts)
  // Linear in the length of the text, whatever the pattern.
  const expression = RE2JS.compile(patternText(pattern, 're2'), RE2JS.DOTALL)
  return (text) => expression.testExact(text)
}
