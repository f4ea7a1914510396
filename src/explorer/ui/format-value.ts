/** Values as text, by their type. Every value is shown as text; nothing is ever parsed as markup. */
import { isNumber } from '../api/number-types.ts'
import type { PropertyType } from '../api/ontology.ts'
import { formatNumber, type NumberStyle } from './format-number.ts'
import { fieldStyle } from './number-style.ts'

/** Returns the text of a value, as it is stored; undefined for a missing value. */
export function formatValue(
  value: unknown,
  type: PropertyType,
  style: NumberStyle = 'auto',
): string | undefined {
  if (value === undefined || value === null) return undefined
  if (isNumber(type.type)) return formatNumber(value as number | string, style)
  switch (type.type) {
    case 'timestamp':
      return formatTimestamp(String(value))
    case 'geopoint':
      return formatPoint(value)
    case 'array': {
      const items = type.items
      return (value as readonly unknown[])
        .map((item) => formatValue(item, items, style) ?? '–')
        .join(', ')
    }
    case 'struct':
      return Object.entries(value as Readonly<Record<string, unknown>>)
        .map(([name, item]) => {
          const field = type.fields[name]
          const text =
            field === undefined ? String(item) : (formatValue(item, field, fieldStyle(name)) ?? '–')
          // Shows where a nested value ends.
          if (field?.type === 'struct') return `${name}: {${text}}`
          return `${name}: ${field?.type === 'array' ? `[${text}]` : text}`
        })
        .join(', ')
    case 'geoshape':
    case 'attachment':
      return JSON.stringify(value)
    default:
      return String(value)
  }
}

/** Returns the value itself, to be pasted elsewhere: every digit, and no separators. */
export function exactText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Shows UTC as UTC; local time is for the tooltip. The text is kept, because a `Date` would drop the
 * microseconds.
 */
function formatTimestamp(text: string): string {
  if (!text.endsWith('Z')) return text
  return `${text.replace('T', ' ').replace(/(\.0+)?Z$/, '')} UTC`
}

export function localTime(text: string): string | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date.toLocaleString()
}

function formatPoint(value: unknown): string {
  const { coordinates: [longitude, latitude] = [] } = value as {
    readonly coordinates?: readonly number[]
  }
  if (longitude === undefined || latitude === undefined) return JSON.stringify(value)
  return `${degrees(latitude, 'N', 'S')} ${degrees(longitude, 'E', 'W')}`
}

function degrees(angle: number, positive: string, negative: string): string {
  return `${formatNumber(Math.abs(angle))}° ${angle < 0 ? negative : positive}`
}
