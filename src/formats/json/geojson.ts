/** Reads GeoJSON features (RFC 7946) as rows, from a collection or one by one. */
import { excerptOf, isUnreadable, type ReadRow, type Row } from '../row.ts'
import { type ExactJson, parseExactly } from './exact-json.ts'

/** Reads an element of a collection. */
export function readFeature(line: number, text: string): ReadRow {
  const row = readObject(line, text)
  if (isUnreadable(row)) return row
  const properties = propertiesOfFeature(row)
  if (properties === undefined) {
    return { line, reason: 'is not a GeoJSON feature', excerpt: excerptOf(text) }
  }
  return rowOfFeature(line, text, properties)
}

/** Reads one object outside of a collection. One that is a feature with a geometry is read as such. */
export function readRecord(line: number, text: string): ReadRow {
  const row = readObject(line, text)
  if (isUnreadable(row) || row.cells['geometry'] === undefined) return row
  const properties = propertiesOfFeature(row)
  return properties === undefined ? row : rowOfFeature(line, text, properties)
}

/** Returns the properties of a feature, which can be null; undefined if the row is no feature. */
function propertiesOfFeature({ cells }: Row): object | null | undefined {
  const { type, properties } = cells
  return type === 'Feature' && typeof properties === 'object' ? properties : undefined
}

/**
 * Returns a row with the id, the properties and the geometry of a feature. It is put together as
 * text, so that numbers keep all their digits.
 */
function rowOfFeature(line: number, text: string, properties: object | null): ReadRow {
  const members = memberTexts(text)
  const isFree = (name: string) => properties === null || !Object.hasOwn(properties, name)
  const member = (name: string) => {
    const value = members.get(name)
    const column = isFree(name) ? name : `feature ${name}`
    return value === undefined || value === 'null' ? [] : [`${JSON.stringify(column)}:${value}`]
  }
  const inner = properties === null ? '' : (members.get('properties') ?? '').slice(1, -1).trim()
  const parts = [...member('id'), ...(inner === '' ? [] : [inner]), ...member('geometry')]
  return readObject(line, `{${parts.join()}}`)
}

/** Returns the texts of the members of a valid JSON object. */
function memberTexts(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let nameStart = 0
  let name = ''
  let valueStart = 0
  const endValue = (at: number) => {
    if (valueStart !== 0) members.set(name, text.slice(valueStart, at).trim())
    valueStart = 0
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') {
      nameStart = at
      at = endOfText(text, at)
    } else if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') {
      depth -= 1
      if (depth === 0) endValue(at)
    } else if (depth !== 1) continue
    else if (sign === ':') {
      name = JSON.parse(text.slice(nameStart, at)) as string
      valueStart = at + 1
    } else if (sign === ',') endValue(at)
  }
  return members
}

/** Returns the index of the quote that ends a text. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

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
