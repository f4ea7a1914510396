/** Checks the values of properties: scalars, structs and arrays of either, nested in any way. */

import type { PropertyType, ScalarType, StructType } from '../definition/property-type.ts'
import { joinPath } from '../definition/struct-path.ts'
import { isJsonObject } from '../json-object.ts'
import { finish, ITEMS_PER_STEP, type Steps } from '../pausable-work.ts'
import { geoShapeSteps } from './read-geometry.ts'
import { RefusedValue, refuse } from './refused-value.ts'
import { type ParsedScalar, scalarCodec } from './scalar-codec.ts'

/** Checks a value and returns its canonical JSON text, or throws `RefusedValue`. */
export type ValueReader = (value: unknown) => string

/** The checked value of one property. */
export interface ReadValue {
  /** Canonical JSON text, as the body stores it. */
  readonly json: string
  /** The scalars inside the value, one entry per field. Empty arrays and shapes have none. */
  readonly parts: readonly ValuePart[]
}

export interface ValuePart extends Leaf {
  readonly values: readonly ParsedScalar[]
}

/** A field whose values queries can find. */
interface Leaf {
  /** The path inside the struct; undefined for values outside structs. */
  readonly structField: string | undefined
  readonly type: ScalarType
  /** True if an array is on the way to the values. */
  readonly isMultiValued: boolean
}

/** Returns a function that checks a scalar. */
export function scalarReader(type: ScalarType): ValueReader {
  const { parse, toJson } = scalarCodec(type)
  return (value) => toJson(parse(value))
}

/** Returns a function that checks a value of any property type. */
export function valueReader(type: PropertyType): ValueReader {
  const readSteps = valueSteps(type)
  return (value) => finish(readSteps(value)).json
}

/** Returns a function that checks a value in steps: it can have very many values and positions. */
export function valueSteps(type: PropertyType): (value: unknown) => Steps<ReadValue> {
  const leaves: Leaf[] = []
  const reader = readerOf(type, { structField: undefined, isMultiValued: false }, leaves)
  return function* (value) {
    const found: Found = { values: leaves.map(() => []), pace: { items: 0, positions: 0 } }
    const json = yield* reader.steps?.(value, found) ?? ready(reader.read(value, found))
    const parts = leaves.flatMap((leaf, index) => {
      const values = found.values[index] ?? []
      return values.length === 0 ? [] : [{ ...leaf, values }]
    })
    return { json, parts }
  }
}

// biome-ignore lint/correctness/useYield: a result without a pause.
function* ready<Result>(result: Result): Steps<Result> {
  return result
}

/** What is found in one value. */
interface Found {
  /** The scalars of each leaf. */
  readonly values: readonly ParsedScalar[][]
  /** Counts the work since the last pause. */
  readonly pace: { items: number; positions: number }
}

/** Checks one part of a value, adds its scalars to what was found, and returns its JSON text. */
interface PartReader {
  readonly read: (value: unknown, found: Found) => string
  /** Undefined if the part cannot be long. */
  readonly steps: ((value: unknown, found: Found) => Steps<string>) | undefined
}

/** The path of a part inside its property. */
type PartPath = Pick<Leaf, 'structField' | 'isMultiValued'>

function readerOf(type: PropertyType, path: PartPath, leaves: Leaf[]): PartReader {
  switch (type.kind) {
    case 'scalar':
      return type.type === 'geoshape' ? SHAPE : leafReader(type.type, path, leaves)
    case 'array': {
      const items = readerOf(type.items, { ...path, isMultiValued: true }, leaves)
      return inSteps((value, found) => readItems(items, value, found))
    }
    case 'struct':
      return structReader(type, path, leaves)
  }
}

function inSteps(steps: NonNullable<PartReader['steps']>): PartReader {
  return { steps, read: (value, found) => finish(steps(value, found)) }
}

const SHAPE = inSteps((value, { pace }) => geoShapeSteps(value, pace))

function leafReader(type: ScalarType, path: PartPath, leaves: Leaf[]): PartReader {
  const { parse, toJson } = scalarCodec(type)
  const index = leaves.push({ ...path, type }) - 1
  return {
    steps: undefined,
    read: (value, { values }) => {
      const parsed = parse(value)
      values[index]?.push(parsed)
      return toJson(parsed)
    },
  }
}

function* readItems(items: PartReader, value: unknown, found: Found): Steps<string> {
  if (!Array.isArray(value)) refuse('is not an array')
  const texts: string[] = []
  const { pace } = found
  try {
    for (const item of value) {
      pace.items += 1
      if (pace.items % ITEMS_PER_STEP === 0) yield
      texts.push(
        items.steps === undefined ? items.read(item, found) : yield* items.steps(item, found),
      )
    }
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside(`[${texts.length}]`) : error
  }
  return `[${texts.join(',')}]`
}

interface FieldReader extends PartReader {
  readonly name: string
  /** The name in the JSON text: `"name":`. */
  readonly label: string
}

function structReader({ fields: types }: StructType, path: PartPath, leaves: Leaf[]): PartReader {
  const fields = [...types].map(([name, type]): FieldReader => {
    const structField = joinPath(path.structField, name)
    return { name, label: `"${name}":`, ...readerOf(type, { ...path, structField }, leaves) }
  })
  if (fields.some(({ steps }) => steps !== undefined)) {
    return inSteps((value, found) => structSteps(checkStruct(value, types), fields, found))
  }
  return {
    steps: undefined,
    read: (value, found) => {
      const struct = checkStruct(value, types)
      const members: string[] = []
      for (const { name, label, read } of fields) {
        const member = memberOf(struct, name)
        if (member === null) continue
        try {
          members.push(label + read(member, found))
        } catch (error) {
          throw insideField(error, name)
        }
      }
      return `{${members.join(',')}}`
    },
  }
}

function* structSteps(
  struct: Readonly<Record<string, unknown>>,
  fields: readonly FieldReader[],
  found: Found,
): Steps<string> {
  const members: string[] = []
  for (const { name, label, read, steps } of fields) {
    const member = memberOf(struct, name)
    if (member === null) continue
    try {
      const json = steps === undefined ? read(member, found) : yield* steps(member, found)
      members.push(label + json)
    } catch (error) {
      throw insideField(error, name)
    }
  }
  return `{${members.join(',')}}`
}

function checkStruct(
  value: unknown,
  types: StructType['fields'],
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) refuse('is not a struct: a JSON object')
  for (const name of Object.keys(value)) {
    if (!types.has(name)) throw new RefusedValue('is not a field of this struct', `.${name}`)
  }
  return value
}

/** Null means absent, in a struct as in an object. */
function memberOf(struct: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(struct, name) ? struct[name] : null
}

function insideField(error: unknown, name: string): unknown {
  return error instanceof RefusedValue ? error.inside(`.${name}`) : error
}
