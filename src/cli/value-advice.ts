/** The command-line option that would let a rejected value pass. */
import {
  dateOnly,
  isNumberType,
  KNOWN_DATE_FORMATS,
  NULL_TEXTS,
  readDecimalComma,
} from '../transfer/columns/text-style.ts'

/** Returns a sentence that names an option; undefined if none would help. */
export function adviceOn(
  scalarType: string | undefined,
  { column, text }: { readonly column: string; readonly text: string },
): string | undefined {
  if (scalarType === undefined || scalarType === 'string') return undefined
  const value = text.trim()
  if (NULL_TEXTS.has(value)) return `Pass --null ${quoted(value)} to read it as a missing value.`
  if (isNumberType(scalarType)) return numberAdvice(value, column, scalarType)
  return scalarType === 'date' || scalarType === 'timestamp' ? dateAdvice(value) : undefined
}

function numberAdvice(value: string, column: string, type: string): string | undefined {
  if (!value.includes(',') || readDecimalComma(value.replaceAll(',', '')) === undefined) {
    return undefined
  }
  return `If the comma is a decimal comma, pass --decimal-comma; if commas group digits, pass --as ${quoted(`${column}=${type}`)}.`
}

function dateAdvice(value: string): string | undefined {
  if (/^\d{10}$/.test(value)) return 'Pass --date-format epoch if it counts seconds since 1970.'
  if (/^\d{13}$/.test(value)) {
    return 'Pass --date-format epoch-ms if it counts milliseconds since 1970.'
  }
  const formats = KNOWN_DATE_FORMATS.filter(({ read }) => read(value) !== undefined).map(
    (format) => {
      const isDate = format.read(value)?.length === DATE_LENGTH
      return `--date-format ${quoted(isDate ? dateOnly(format) : format.format)}`
    },
  )
  return formats.length === 0 ? undefined : `Pass ${formats.join(' or ')}.`
}

const DATE_LENGTH = '2024-02-29'.length

/** Quotes a text for a shell if necessary. */
export function quoted(text: string): string {
  return /^[\w.,=:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
