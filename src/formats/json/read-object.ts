import { excerptOf, type ReadRow } from '../row.ts'
import { type ExactJson, parseExactly } from './exact-json.ts'

/** Parses one object; returns an unreadable row if the text is not a JSON object. */
export function readObject(line: number, text: string): ReadRow {
  let json: ExactJson
  try {
    json = parseExactly(text)
  } catch {
    return { line, reason: 'is not JSON', excerpt: excerptOf(text) }
  }
  const { value, hasBigIntegers } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, reason: 'is not a JSON object', excerpt: excerptOf(text) }
  }
  const cells = value as Record<string, unknown>
  return hasBigIntegers ? { line, cells, source: text } : { line, cells, json: text }
}
