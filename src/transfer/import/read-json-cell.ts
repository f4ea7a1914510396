import type {
  PropertyType,
  ScalarPropertyType,
  StructType,
} from '../../ontology/definition/property-type.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { isoTimestamp } from './iso-timestamp.ts'

/**
 * JSON values on their way to the service, which checks them. Only what a file may well write in
 * another way is changed: a string property takes any value as its text, and a time without a zone
 * is UTC, as in every other format.
 */
export interface JsonCell {
  /** Whether the value can go as it is; absent where every value can. */
  readonly fits?: (value: unknown) => boolean
  /** The JSON text to send. */
  readonly write: (value: unknown) => string
}

const UNCHANGED: JsonCell = { write: jsonOf }

/** A number too large for a double is sent as such, for the service to refuse. */
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
  return UNCHANGED
}

/** Any value as text: numbers and booleans as they are written, arrays and objects as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return JSON.stringify(jsonOf(value))
}

const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Enough to tell the usual timestamp from one to be changed; the service looks closer. */
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
    // Null has no place in an array; it is left to the service to say so.
    write: (value) =>
      Array.isArray(value)
        ? `[${value.map((entry) => (entry === null ? 'null' : write(entry))).join(',')}]`
        : JSON.stringify(value),
  }
}

function structCell(type: StructType): JsonCell {
  const cells = new Map([...type.fields].map(([name, field]) => [name, scalarCell(field)]))
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
