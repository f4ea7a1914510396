/** Values as text, by their type. Every value is shown as text; nothing is ever parsed as markup. */
import {
  isNumber,
  isWholeNumber,
  linkAt,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyType,
  wordsOf,
} from '../api/ontology.ts'

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

/** Numbers as text, with every digit that is stored. */
/**
 * Amounts are grouped by thousands; years, codes and ids are plain. Others (`auto`) are grouped from
 * five digits on, as whole numbers of four digits may be years.
 */
export type NumberStyle = 'plain' | 'grouped' | 'auto'

/** Smaller numbers are written with an exponent. */
const MOST_DECIMALS = 15
const GROUP = /\B(?=(?:\d{3})+$)/g

/** Returns the text of a number. Types whose digits exceed those of a JSON number come as text. */
export function formatNumber(value: number | string, style: NumberStyle = 'auto'): string {
  const text = typeof value === 'number' ? numberText(value) : value
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(text) ?? []
  const mayBeYear = style === 'auto' && whole.length <= 4 && !rest.startsWith('.')
  if (style === 'plain' || mayBeYear) return text
  return sign + whole.replaceAll(GROUP, ',') + rest
}

/** Writes small numbers as they are read: 0.00000012, not 1.2e-7. */
function numberText(value: number): string {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e-')
  if (exponent === undefined) return text
  const decimals = Number(exponent) + (mantissa.split('.')[1]?.length ?? 0)
  return decimals <= MOST_DECIMALS ? value.toFixed(decimals) : text
}

/** As many digits as a decimal text can have without a change by the binary form. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 15 })
const COMPACT_FROM = 10_000
/** There is no letter for a thousand trillions. */
const COMPACT_BELOW = 1e15

/** Returns the format of an axis with these values. It is short (`12K`) where no digit is lost. */
export function axisFormat(
  values: readonly number[],
  style: NumberStyle = 'auto',
): (value: number) => string {
  const largest = Math.max(0, ...values.map(Math.abs))
  const isCompact = style !== 'plain' && largest >= COMPACT_FROM && largest < COMPACT_BELOW
  return isCompact ? (value) => COMPACT.format(value) : (value) => formatNumber(value, style)
}

/** The smallest and the largest value of a property. */
export type Extent = readonly [min: number, max: number]

export interface StyledType {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
}

/** Words that begin or end the names of properties whose values identify something. */
const CODE_WORDS: ReadonlySet<string> = new Set(
  (
    'id ids uid uuid key code codes zip zipcode postcode postal plz year yr ean gtin upc isbn issn ' +
    'sku barcode serial phone telephone tel mobile fax fips iso imei imo mmsi vin pin port ref'
  ).split(' '),
)
/** A number of something is an amount, a flight number is a code. */
const LAST_WORDS: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'num'])

/** True if a name says that its numbers identify something. */
function isCodeName(name: string): boolean {
  const words = wordsOf(name).toLowerCase().split(' ')
  const last = words.at(-1) ?? ''
  return CODE_WORDS.has(words[0] ?? '') || CODE_WORDS.has(last) || LAST_WORDS.has(last)
}

/** Returns the style of a field of a struct. */
export function fieldStyle(name: string): NumberStyle {
  return isCodeName(name) ? 'plain' : 'auto'
}

/**
 * Returns the style of a property. Keys and foreign keys are codes by definition, and so are names
 * that say so; of others, the values decide.
 */
export function numberStyle(of: StyledType, property: string, extent?: Extent): NumberStyle {
  if (isCode(of, property)) return 'plain'
  if (extent === undefined) return 'auto'
  return styleByValues(extent, isWholeNumber(of.objectType.properties[property]?.type))
}

/** True if the numbers of a property identify something: they are worth no sum and no histogram. */
export function isCode({ ontology, objectType }: StyledType, property: string): boolean {
  return (
    property === objectType.primaryKey ||
    linkAt(ontology, objectType.apiName, property) !== undefined ||
    isCodeName(property) ||
    isCodeName(nameOfProperty(property, objectType.properties[property]))
  )
}

/** Returns the properties whose style depends on their values. */
export function propertiesStyledByValues(of: StyledType): readonly string[] {
  return Object.entries(of.objectType.properties).flatMap(([name, { type }]) =>
    isNumber(type) && type !== 'byte' && !isCode(of, name) ? [name] : [],
  )
}

/**
 * Years have at most four digits; codes have a fixed number of digits. Amounts rarely do, and can be
 * read without separators, but codes with separators are wrong. Measurements are no codes.
 */
function styleByValues([min, max]: Extent, isWhole: boolean): NumberStyle {
  const digits = (value: number) => String(Math.trunc(Math.abs(value))).length
  const isShort = Math.max(Math.abs(min), Math.abs(max)) < 10_000
  const isFixed = isWhole && min > 0 && min < max && digits(min) === digits(max)
  return isShort || isFixed ? 'plain' : 'grouped'
}
