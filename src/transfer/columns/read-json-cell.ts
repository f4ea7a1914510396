import type {
  PropertyType,
  ScalarPropertyType,
  StructType,
} from '../../ontology/definition/property-type.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { isoTimestamp } from './date-format.ts'

/**
 * Converts JSON values before they are sent; the service checks them. Only three things change: any
 * value of a string property becomes text, so does a fraction of a decimal property, and a timestamp
 * without a zone becomes UTC.
 */
export interface JsonCell {
  /** Whether the value can be sent unchanged; absent if every value can. */
  readonly fits?: (value: unknown) => boolean
  /** Returns the JSON text to send. */
  readonly write: (value: unknown) => string
}

const UNCHANGED: JsonCell = { write: jsonOf }

/** A number that is too large for a double stays too large, so that the service rejects it. */
function jsonOf(value: unknown): string {
  return value === Infinity ? '1e999' : value === -Infinity ? '-1e999' : JSON.stringify(value)
}

export function jsonCell(type: PropertyType): JsonCell {
  switch (type.kind) {
    case 'scalar':
      return scalarCell(type)
    case 'array':
      return arrayCell(jsonCell(type.items))
    case 'struct':
      return structCell(type)
  }
}

function scalarCell({ type }: ScalarPropertyType): JsonCell {
  if (type === 'string') return { fits: (value) => typeof value === 'string', write: textOf }
  if (type === 'timestamp') return { fits: hasZone, write: timestampOf }
  if (type === 'decimal') return { fits: isExactDecimal, write: decimalOf }
  return UNCHANGED
}

/** The service cannot know whether a fraction had more digits before it became a double. */
function isExactDecimal(value: unknown): boolean {
  return typeof value !== 'number' || Number.isSafeInteger(value)
}

/** Rows in which a number has more digits than a double are read in another way. */
function decimalOf(value: unknown): string {
  const isFraction = !isExactDecimal(value) && Number.isFinite(value)
  return isFraction ? JSON.stringify(String(value)) : jsonOf(value)
}

/** Returns any value as text: numbers and booleans as written, arrays and objects as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return JSON.stringify(jsonOf(value))
}

const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Recognises a timestamp that needs no change; the service validates it. */
function hasZone(value: unknown): boolean {
  return typeof value === 'string' && WITH_ZONE.test(value)
}

function timestampOf(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? (isoTimestamp(value.trim()) ?? value) : value)
}

function arrayCell(item: JsonCell): JsonCell {
  const { fits, write } = item
  if (fits === undefined) return UNCHANGED
  return {
    fits: (value) => !Array.isArray(value) || value.every(fits),
    // Null is invalid in an array; the service rejects it.
    write: (value) =>
      Array.isArray(value)
        ? `[${value.map((entry) => (entry === null ? 'null' : write(entry))).join(',')}]`
        : JSON.stringify(value),
  }
}

function structCell(type: StructType): JsonCell {
  const cells = new Map([...type.fields].map(([name, field]) => [name, jsonCell(field)]))
  const fieldFits = (name: string, value: unknown) =>
    value === null || (cells.get(name)?.fits?.(value) ?? true)
  const fieldText = (name: string, value: unknown) =>
    value === null ? 'null' : (cells.get(name) ?? UNCHANGED).write(value)
  if ([...cells.values()].every(({ fits }) => fits === undefined)) return UNCHANGED
  return {
    fits: (value) =>
      !isJsonObject(value) ||
      Object.entries(value).every(([name, field]) => fieldFits(name, field)),
    write: (value) => {
      if (!isJsonObject(value)) return JSON.stringify(value)
      const fields = Object.entries(value).map(
        ([name, field]) => `${JSON.stringify(name)}:${fieldText(name, field)}`,
      )
      return `{${fields.join(',')}}`
    },
  }
}
