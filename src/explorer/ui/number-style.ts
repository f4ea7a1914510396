/** Decides whether the numbers of a property are amounts, or years, codes and ids. */
import { isNumber, isWholeNumber } from '../api/number-types.ts'
import {
  linkAt,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  wordsOf,
} from '../api/ontology.ts'
import type { NumberStyle } from './format-number.ts'

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

function isCode({ ontology, objectType }: StyledType, property: string): boolean {
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
