/** Checks values against constraints. Every check takes time linear in the length of the value. */

import { RE2JS } from 're2js'
import type { ConstraintType } from './constraint-schema.ts'
import type { PropertyType, ScalarType } from './definition/property-type.ts'
import type {
  ArrayConstraint,
  Constraint,
  ScalarConstraint,
  ScalarMembers,
  StructConstraint,
} from './rules.ts'
import type { ColumnValue } from './values/column-value.ts'
import { type ParsedScalar, scalarCodec } from './values/scalar-codec.ts'

export interface Violation {
  readonly constraint: ConstraintType
  /** Where in the value, such as `[3].text`; empty for the value itself. */
  readonly path: string
  /** Completes a sentence that begins with the name of the property; never has the value. */
  readonly reason: string
}

type Check<Value> = (value: Value) => Violation | undefined

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
/** `ri.SERVICE.INSTANCE.TYPE.LOCATOR`, of which only the instance may be empty. */
const RID = /^ri\.[a-z][a-z\d-]*\.(?:[a-z\d][a-z\d-]*)?\.[a-z][a-z\d-]*\.[\w.-]+$/i

/** Returns a check of values in their canonical JSON, as objects store them. */
export function constraintChecker(
  type: PropertyType,
  constraints: readonly Constraint[],
): Check<unknown> {
  const checks = constraints.map((one) => checkOf(type, one))
  return (value) => firstViolation(checks, value)
}

/** Returns a check of parsed scalars; undefined without constraints. */
export function scalarChecker(
  type: ScalarType,
  constraints: readonly Constraint[],
): Check<ParsedScalar> | undefined {
  if (constraints.length === 0) return undefined
  const checks = constraints.flatMap((one) =>
    isScalarConstraint(one) ? scalarCheck(type, one) : [],
  )
  return (parsed) => firstViolation(checks, parsed)
}

function firstViolation<Value>(
  checks: readonly Check<Value>[],
  value: Value,
): Violation | undefined {
  for (const check of checks) {
    const violation = check(value)
    if (violation !== undefined) return violation
  }
  return undefined
}

function checkOf(type: PropertyType, constraint: Constraint): Check<unknown> {
  if (constraint.type === 'array' && type.kind === 'array')
    return arrayCheck(type.items, constraint)
  if (constraint.type === 'struct' && type.kind === 'struct') return structCheck(type, constraint)
  if (type.kind !== 'scalar' || !isScalarConstraint(constraint)) {
    throw new Error(`the constraint ${constraint.type} does not fit its property`)
  }
  const check = scalarCheck(type.type, constraint)
  const { parse } = scalarCodec(type.type)
  return (value) => check(parse(value))
}

function arrayCheck(
  items: PropertyType,
  { minimumSize = 0, maximumSize = Infinity, uniqueValues, valueConstraint }: ArrayConstraint,
): Check<unknown> {
  const checkItem = valueConstraint && checkOf(items, valueConstraint)
  const violated = (reason: string, path = ''): Violation => ({ constraint: 'array', path, reason })
  return (value) => {
    const elements = value as readonly unknown[]
    const { length } = elements
    if (length < minimumSize)
      return violated(`has ${length} elements, and needs at least ${minimumSize}`)
    if (length > maximumSize)
      return violated(`has ${length} elements, and may have at most ${maximumSize}`)
    if (uniqueValues === true) {
      const seen = new Set<string>()
      for (const [index, element] of elements.entries()) {
        const text = JSON.stringify(element)
        if (seen.has(text)) return violated('repeats an earlier element', `[${index}]`)
        seen.add(text)
      }
    }
    if (checkItem === undefined) return undefined
    for (const [index, element] of elements.entries()) {
      const violation = checkItem(element)
      if (violation !== undefined) return { ...violation, path: `[${index}]${violation.path}` }
    }
    return undefined
  }
}

function structCheck(
  { fields }: PropertyType & { readonly kind: 'struct' },
  constraint: StructConstraint,
): Check<unknown> {
  const checks = [...constraint.fields].flatMap(([name, constraints]) => {
    const type = fields.get(name)
    return type === undefined ? [] : [{ name, check: constraintChecker(type, constraints) }]
  })
  return (value) => {
    const struct = value as Readonly<Record<string, unknown>>
    for (const { name, check } of checks) {
      if (!Object.hasOwn(struct, name)) continue
      const violation = check(struct[name])
      if (violation !== undefined) return { ...violation, path: `.${name}${violation.path}` }
    }
    return undefined
  }
}

function isScalarConstraint(constraint: Constraint): constraint is ScalarConstraint {
  return constraint.type !== 'array' && constraint.type !== 'struct'
}

function scalarCheck(type: ScalarType, constraint: ScalarConstraint): Check<ParsedScalar> {
  const test = SCALAR_TESTS[constraint.type](type, constraint)
  return (parsed) => {
    const reason = test(parsed)
    return reason === undefined ? undefined : { constraint: constraint.type, path: '', reason }
  }
}

/** Returns why a parsed value violates a constraint. */
type Test = (parsed: ParsedScalar) => string | undefined

const SCALAR_TESTS: Record<
  ScalarConstraint['type'],
  (type: ScalarType, members: ScalarMembers) => Test
> = {
  enum: (type, { options = [] }) => {
    const encode = encoderOf(type)
    const { parse } = scalarCodec(type)
    const allowed = new Set(options.map((option) => encode(parse(option))))
    return (parsed) =>
      allowed.has(encode(parsed)) ? undefined : 'is not one of the allowed values'
  },
  range: (type, { minimumValue, maximumValue }) => {
    const encode = encoderOf(type)
    const { parse } = scalarCodec(type)
    const bound = (value: unknown) => (value === undefined ? undefined : encode(parse(value)))
    const [minimum, maximum] = [bound(minimumValue), bound(maximumValue)]
    return (parsed) => {
      const value = encode(parsed)
      if (value === 'NaN') return 'is not a number, so it is outside every range'
      if (minimum !== undefined && value < minimum) return `is below the minimum ${minimumValue}`
      if (maximum !== undefined && value > maximum) return `is above the maximum ${maximumValue}`
      return undefined
    }
  },
  length: (_, { minimumLength = 0, maximumLength = Infinity }) => {
    return (parsed) => {
      const text = String(parsed)
      // A text has at most as many characters as UTF-16 code units, and at least half as many.
      if (text.length <= maximumLength && text.length >= 2 * minimumLength) return undefined
      const length = [...text].length
      if (length < minimumLength)
        return `has ${length} characters, and needs at least ${minimumLength}`
      if (length > maximumLength)
        return `has ${length} characters, and may have at most ${maximumLength}`
      return undefined
    }
  },
  regex: (_, { pattern = '', partialMatch }) => {
    const expression = RE2JS.compile(pattern)
    const matches = (text: string) =>
      partialMatch === true ? expression.test(text) : expression.testExact(text)
    return (parsed) =>
      matches(String(parsed)) ? undefined : `does not match the pattern ${pattern}`
  },
  uuid: () => (parsed) => (UUID.test(String(parsed)) ? undefined : 'is not a UUID'),
  rid: () => (parsed) => (RID.test(String(parsed)) ? undefined : 'is not a RID'),
}

function encoderOf(type: ScalarType): (parsed: ParsedScalar) => ColumnValue {
  const { column } = scalarCodec(type)
  if (column === undefined) throw new Error(`values of type ${type} cannot be compared`)
  return column.encode
}
