/** Checks the values of properties: scalars, structs and arrays of either. */

import type { PropertyType, ScalarType, StructType } from '../definition/property-type.ts'
import { geoShapeSteps } from './read-geometry.ts'
import { isJsonObject, RefusedValue, refuse } from './refused-value.ts'
import { type ParsedScalar, type ScalarCodec, scalarCodec } from './scalar-codec.ts'
import { finish, mapInSteps, type Steps } from './steps.ts'

/** Checks a value and returns its canonical JSON text, or throws `RefusedValue`. */
export type ValueReader = (value: unknown) => string

/** The checked value of one property. */
export interface ReadValue {
  /** Canonical JSON text, as the body stores it. */
  readonly json: string
  /** The scalars inside the value, one entry per struct field. Empty arrays have none. */
  readonly parts: readonly ValuePart[]
}

export interface ValuePart {
  /** Undefined for values outside structs. */
  readonly structField: string | undefined
  readonly type: ScalarType
  readonly values: readonly ParsedScalar[]
}

/** Returns a function that checks a scalar. */
export function scalarReader(type: ScalarType): ValueReader {
  const { parse, toJson } = scalarCodec(type)
  return (value) => toJson(parse(value))
}

/** Returns a function that checks a value of any property type. */
export function valueReader(type: PropertyType): ValueReader {
  return (value) =>
    type.kind === 'array' ? finish(readArray(type, value)).json : readSingle(type, value).json
}

/** Checks a scalar or a struct. */
export function readSingle(
  type: Exclude<PropertyType, { kind: 'array' }>,
  value: unknown,
): ReadValue {
  const collector = collectorFor(type)
  return { json: collector.add(value), parts: collector.parts() }
}

/** Like `readSingle`, in steps: a shape can have very many positions. */
export function* readSingleSteps(
  type: Exclude<PropertyType, { kind: 'array' }>,
  value: unknown,
): Steps<ReadValue> {
  if (!isShape(type)) return readSingle(type, value)
  const json = yield* geoShapeSteps(value)
  return { json, parts: shapeParts([json]) }
}

function isShape(type: PropertyType): boolean {
  return type.kind === 'scalar' && type.type === 'geoshape'
}

function shapeParts(values: readonly string[]): ValuePart[] {
  return values.length === 0 ? [] : [{ structField: undefined, type: 'geoshape', values }]
}

function* readShapes(shapes: readonly unknown[]): Steps<ReadValue> {
  const texts: string[] = []
  const pace = { positions: 0 }
  try {
    for (const shape of shapes) texts.push(yield* geoShapeSteps(shape, pace))
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside(`[${texts.length}]`) : error
  }
  return { json: `[${texts.join(',')}]`, parts: shapeParts(texts) }
}

/** Checks an array, in steps because it can be very long. */
export function* readArray(
  { items }: PropertyType & { readonly kind: 'array' },
  value: unknown,
): Steps<ReadValue> {
  if (!Array.isArray(value)) refuse('is not an array')
  if (isShape(items)) return yield* readShapes(value)
  const collector = collectorFor(items)
  let index = 0
  try {
    const texts = yield* mapInSteps(value, (item) => {
      const json = collector.add(item)
      index += 1
      return json
    })
    return { json: `[${texts.join(',')}]`, parts: collector.parts() }
  } catch (error) {
    throw error instanceof RefusedValue ? error.inside(`[${index}]`) : error
  }
}

/** Collects the scalars of the values that it checks. */
interface ValueCollector {
  readonly add: ValueReader
  readonly parts: () => readonly ValuePart[]
}

function collectorFor(type: Exclude<PropertyType, { kind: 'array' }>): ValueCollector {
  return type.kind === 'scalar' ? scalarCollector(type.type) : structCollector(type)
}

function scalarCollector(type: ScalarType): ValueCollector {
  const { parse, toJson } = scalarCodec(type)
  const values: ParsedScalar[] = []
  return {
    add: (value) => {
      const parsed = parse(value)
      values.push(parsed)
      return toJson(parsed)
    },
    parts: () => (values.length === 0 ? [] : [{ structField: undefined, type, values }]),
  }
}

interface StructField {
  readonly structField: string
  readonly type: ScalarType
  readonly codec: ScalarCodec
  readonly values: ParsedScalar[]
}

function structCollector({ fields: types }: StructType): ValueCollector {
  const fields = [...types].map(
    ([structField, { type }]): StructField => ({
      structField,
      type,
      codec: scalarCodec(type),
      values: [],
    }),
  )
  return {
    add: (value) => {
      if (!isJsonObject(value)) refuse('is not a struct: a JSON object')
      for (const name of Object.keys(value)) {
        if (!types.has(name)) throw new RefusedValue('is not a field of this struct', `.${name}`)
      }
      const members: string[] = []
      for (const { structField, codec, values } of fields) {
        // Null means absent, in a struct as in an object.
        const member = Object.hasOwn(value, structField) ? value[structField] : null
        if (member === null) continue
        try {
          const parsed = codec.parse(member)
          values.push(parsed)
          members.push(`"${structField}":${codec.toJson(parsed)}`)
        } catch (error) {
          throw error instanceof RefusedValue ? error.inside(`.${structField}`) : error
        }
      }
      return `{${members.join(',')}}`
    },
    parts: () => fields.filter(({ values }) => values.length > 0),
  }
}
