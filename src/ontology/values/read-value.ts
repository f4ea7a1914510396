import type { PropertyType, ScalarType, StructType } from '../definition/property-type.ts'
import { readGeoPoint, readGeoShape } from './read-geometry.ts'
import { floatingReader, readDecimal, readLong, wholeNumberReader } from './read-number.ts'
import { readDate, readTimestamp } from './read-time.ts'
import { isJsonObject, RefusedValue, refuse } from './refused-value.ts'

/** Checks a value against its type and gives its canonical JSON text, or throws `RefusedValue`. */
export type ValueReader = (value: unknown) => string

const SCALAR_READERS: Readonly<Record<ScalarType, ValueReader>> = {
  string: readString,
  boolean: readBoolean,
  byte: wholeNumberReader('byte', 8),
  short: wholeNumberReader('short', 16),
  integer: wholeNumberReader('integer', 32),
  long: readLong,
  float: floatingReader('float'),
  double: floatingReader('double'),
  decimal: readDecimal,
  date: readDate,
  timestamp: readTimestamp,
  geopoint: readGeoPoint,
  geoshape: readGeoShape,
  attachment: readAttachment,
  marking: readString,
}

export function scalarReader(type: ScalarType): ValueReader {
  return SCALAR_READERS[type]
}

export function valueReader(type: PropertyType): ValueReader {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.type)
    case 'struct':
      return structReader(type)
    case 'array':
      return arrayReader(valueReader(type.items))
  }
}

function arrayReader(readItem: ValueReader): ValueReader {
  return (value) => {
    if (!Array.isArray(value)) refuse('is not an array')
    const items: string[] = []
    try {
      for (const item of value) items.push(readItem(item))
    } catch (error) {
      throw error instanceof RefusedValue ? error.inside(`[${items.length}]`) : error
    }
    return `[${items.join(',')}]`
  }
}

function structReader(type: StructType): ValueReader {
  const readers = new Map([...type.fields].map(([name, field]) => [name, scalarReader(field.type)]))
  return (value) => {
    if (!isJsonObject(value)) refuse('is not a struct: a JSON object')
    for (const name of Object.keys(value)) {
      if (!readers.has(name)) throw new RefusedValue('is not a field of this struct', `.${name}`)
    }
    const fields: string[] = []
    for (const [name, read] of readers) {
      // Null means absent, in a struct as in an object.
      const field = Object.hasOwn(value, name) ? value[name] : null
      if (field === null) continue
      try {
        fields.push(`"${name}":${read(field)}`)
      } catch (error) {
        throw error instanceof RefusedValue ? error.inside(`.${name}`) : error
      }
    }
    return `{${fields.join(',')}}`
  }
}

function within(step: string, read: () => string): string {
  try {
    return read()
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside(step) : error
  }
}

function readString(value: unknown): string {
  if (typeof value !== 'string') refuse('is not a string')
  // Databases cannot keep these two, and what is stored must come out as it went in.
  if (value.includes('\0')) refuse('holds the character U+0000')
  if (!value.isWellFormed()) refuse('holds half of a surrogate pair')
  return JSON.stringify(value)
}

function readBoolean(value: unknown): string {
  if (value === true || value === 'true') return 'true'
  if (value === false || value === 'false') return 'false'
  return refuse('is not a boolean')
}

function readAttachment(value: unknown): string {
  if (!isJsonObject(value) || Object.keys(value).join() !== 'rid') {
    refuse('is not an attachment: {"rid": …}')
  }
  return `{"rid":${within('.rid', () => readString(value['rid']))}}`
}
