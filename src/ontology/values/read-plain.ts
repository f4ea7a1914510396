/**
 * Reads objects whose JSON text already is the one that a store keeps: the properties in the order of
 * the type, each value in its canonical form, and no escapes. Such a text is only checked, which takes
 * a third of the time of parsing it and writing it again. Anything else is left to `objectReader`,
 * which also knows what is wrong with it.
 */
import { OBJECT_MAX_BYTES } from '../../contract/limits.ts'
import type { ScalarType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import type { ObjectType } from '../ontology.ts'
import type { ColumnValue } from './column-value.ts'
import { type PrimaryKey, primaryKeyOf } from './primary-key.ts'
import type { StoredObject } from './read-object.ts'
import { RefusedValue } from './refused-value.ts'
import { type ParsedScalar, type ScalarCodec, scalarCodec } from './scalar-codec.ts'
import { type FieldTexts, fieldPlaces, type SearchableValues } from './searchable-values.ts'

export type PlainReader = (body: string) => StoredObject | undefined

/** A reader of the values of a property. Its fields are those of the last value. */
abstract class ValueReader {
  parsed: ParsedScalar = ''
  column: ColumnValue = 0

  /** Returns where the value ends that starts at an index; -1 unless it is in its canonical form. */
  abstract end(body: string, at: number): number
}

/**
 * Returns the function that reads such objects; undefined for types with other values than scalars, and
 * for those that demand more of them.
 */
export function plainReader(type: ObjectType): PlainReader | undefined {
  const { properties, primaryKey, titleProperty, rid } = type
  const places = fieldPlaces(type)
  const members: Member[] = []
  for (const { apiName, type: of, language, rules } of properties.values()) {
    const isScalar = of.kind === 'scalar' && rules === undefined
    const reader = isScalar ? valueReader(of.type) : undefined
    if (reader === undefined) return undefined
    members.push({
      label: `"${apiName}":`,
      place: places.get(apiName) ?? -1,
      isKey: apiName === primaryKey.apiName,
      isTitle: apiName === titleProperty,
      text:
        of.kind === 'scalar' && of.type === 'string'
          ? { property: apiName, structField: undefined, language }
          : undefined,
      reader,
    })
  }
  const noValues = Array.from(places, () => null)
  const texts = members.flatMap(({ text, place }) => (text ? [{ ...text, place }] : []))

  return (body) => {
    if (3 * body.length > OBJECT_MAX_BYTES || ESCAPED.test(body)) return undefined
    const values: (ColumnValue | null)[] = noValues.slice()
    let key: PrimaryKey | undefined
    let title: string | null = null
    let at = 1
    let isComplete = false
    for (const { label, place, isKey, isTitle, reader } of members) {
      if (!body.startsWith(label, at)) continue
      const start = at + label.length
      const end = reader.end(body, start)
      if (end === -1) return undefined
      values[place] = reader.column
      if (isKey) key = keyOf(type, reader.parsed)
      if (isTitle) title = titleOf(body.slice(start, end))
      at = end + 1
      const next = body.charCodeAt(end)
      if (next === COMMA) continue
      isComplete = next === CLOSING_BRACE && at === body.length
      break
    }
    if (!isComplete || key === undefined) return undefined
    const { pk, text } = key
    return {
      pk,
      objectId: objectId(rid, pk),
      key: JSON.stringify(text),
      title,
      body,
      searchable: new PlainValues({ places, values }, texts),
    }
  }
}

/** What `JSON.stringify` would escape, and what escapes it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON texts must not have them.
const ESCAPED = /[\\\0-\u001f]/
const COMMA = 0x2c
const CLOSING_BRACE = 0x7d
const QUOTE = 0x22
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

interface Member {
  /** The name in the body: `"name":`. */
  readonly label: string
  /** The place of its column value. */
  readonly place: number
  readonly isKey: boolean
  readonly isTitle: boolean
  readonly text: Omit<FieldTexts, 'values'> | undefined
  readonly reader: ValueReader
}

const NONE: readonly never[] = []

class PlainValues implements SearchableValues {
  readonly columns: SearchableValues['columns']
  readonly elements = NONE
  readonly points = NONE
  readonly #texts: readonly (Omit<FieldTexts, 'values'> & { readonly place: number })[]

  constructor(
    columns: SearchableValues['columns'],
    texts: readonly (Omit<FieldTexts, 'values'> & { readonly place: number })[],
  ) {
    this.columns = columns
    this.#texts = texts
  }

  /** Not every store needs them. */
  get texts(): readonly FieldTexts[] {
    return this.#texts.flatMap(({ place, ...text }) => {
      const value = this.columns.values[place] ?? null
      return value === null ? [] : [{ ...text, values: [value as string] }]
    })
  }
}

function keyOf(type: ObjectType, parsed: ParsedScalar): PrimaryKey | undefined {
  try {
    return primaryKeyOf(type.primaryKey.type, parsed)
  } catch (error) {
    if (error instanceof RefusedValue) return undefined
    throw error
  }
}

function titleOf(json: string): string {
  return json.charCodeAt(0) === QUOTE ? json : `"${json}"`
}

function valueReader(type: ScalarType): ValueReader | undefined {
  switch (type) {
    case 'string':
    case 'marking':
      return new TextReader()
    case 'boolean':
      return new BooleanReader()
    case 'byte':
      return new WholeReader(8)
    case 'short':
      return new WholeReader(16)
    case 'integer':
      return new WholeReader(32)
    case 'float':
    case 'double':
      return new DoubleReader()
    case 'timestamp':
      return new TimestampReader()
    case 'long':
    case 'decimal':
    case 'date':
      return new QuotedReader(type)
    default:
      return undefined
  }
}

class TextReader extends ValueReader {
  override end(body: string, at: number): number {
    if (body.charCodeAt(at) !== QUOTE) return -1
    const end = body.indexOf('"', at + 1)
    const text = body.slice(at + 1, end)
    this.parsed = text
    this.column = text
    return end === -1 ? -1 : end + 1
  }
}

class BooleanReader extends ValueReader {
  override end(body: string, at: number): number {
    const isTrue = body.startsWith('true', at)
    this.parsed = isTrue
    this.column = isTrue ? 1 : 0
    if (isTrue) return at + 4
    return body.startsWith('false', at) ? at + 5 : -1
  }
}

/** Digits that a double holds in any case; with fewer than 16, each text is the shortest one. */
const EXACT_DIGITS = 15

class WholeReader extends ValueReader {
  readonly #min: number
  readonly #max: number

  constructor(bits: number) {
    super()
    this.#min = -(2 ** (bits - 1))
    this.#max = 2 ** (bits - 1) - 1
  }

  override end(body: string, at: number): number {
    const isNegative = body.charCodeAt(at) === MINUS
    const first = isNegative ? at + 1 : at
    let number = 0
    let end = first
    for (let digit = digitAt(body, end); digit >= 0; digit = digitAt(body, end)) {
      number = number * 10 + digit
      end += 1
    }
    // Neither minus zero nor leading zeros.
    const isPlain = body.charCodeAt(first) !== ZERO || (!isNegative && end === first + 1)
    const value = isNegative ? -number : number
    if (end === first || end - first > EXACT_DIGITS || !isPlain) return -1
    if (value < this.#min || value > this.#max) return -1
    this.parsed = value
    this.column = value
    return end
  }
}

class DoubleReader extends ValueReader {
  override end(body: string, at: number): number {
    const first = body.charCodeAt(at) === MINUS ? at + 1 : at
    let end = first
    while (digitAt(body, end) >= 0) end += 1
    const whole = end - first
    if (whole === 0 || (whole > 1 && body.charCodeAt(first) === ZERO)) return -1
    if (body.charCodeAt(end) === POINT) {
      end += 1
      const fraction = end
      while (digitAt(body, end) >= 0) end += 1
      // Small numbers have exponents.
      if (end === fraction || body.charCodeAt(end - 1) === ZERO) return -1
      if (end - fraction > 6 && body.charCodeAt(first) === ZERO) return -1
    } else if (body.charCodeAt(first) === ZERO && first > at) return -1
    if (end - first > EXACT_DIGITS) return -1
    const value = Number(body.slice(at, end))
    this.parsed = value
    this.column = value
    return end
  }
}

/** Values in quotes, which their codec checks. */
class QuotedReader extends ValueReader {
  readonly #codec: ScalarCodec

  constructor(type: ScalarType) {
    super()
    this.#codec = scalarCodec(type)
  }

  override end(body: string, at: number): number {
    const end = body.charCodeAt(at) === QUOTE ? body.indexOf('"', at + 1) : -1
    if (end === -1) return -1
    const { parse, toJson, column } = this.#codec
    try {
      this.parsed = parse(body.slice(at + 1, end))
    } catch (error) {
      if (error instanceof RefusedValue) return -1
      throw error
    }
    this.column = column?.encode(this.parsed) ?? 1
    return toJson(this.parsed) === body.slice(at, end + 1) ? end + 1 : -1
  }
}

/** The characters of `2026-01-31T12:00:00Z`, in which a zero stands for any digit. */
const TIMESTAMP = '0000-00-00T00:00:00Z"'
/** Every month has them. */
const SURE_DAYS = 28

class TimestampReader extends QuotedReader {
  constructor() {
    super('timestamp')
  }

  override end(body: string, at: number): number {
    const from = at + 1
    for (let index = 0; index < TIMESTAMP.length; index += 1) {
      const expected = TIMESTAMP.charCodeAt(index)
      const isExpected =
        expected === ZERO
          ? digitAt(body, from + index) >= 0
          : body.charCodeAt(from + index) === expected
      // A fraction, perhaps, or an offset.
      if (!isExpected) return super.end(body, at)
    }
    const month = twoDigitsAt(body, from + 5)
    const day = twoDigitsAt(body, from + 8)
    const isTime =
      twoDigitsAt(body, from + 11) < 24 &&
      twoDigitsAt(body, from + 14) < 60 &&
      twoDigitsAt(body, from + 17) < 60
    if (month === 0 || month > 12 || day === 0 || day > SURE_DAYS || !isTime) {
      return super.end(body, at)
    }
    const end = from + TIMESTAMP.length
    this.parsed = body.slice(from, end - 1)
    this.column = `${body.slice(from, end - 2)}.000000Z`
    return body.charCodeAt(at) === QUOTE ? end : -1
  }
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO
  return digit <= 9 ? digit : -1
}

function twoDigitsAt(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO
}
