/** Parses value types and the rules of properties, or notes why they are inconsistent. */

import { RE2JS } from 're2js'
import { constraintChecker } from './check-constraints.ts'
import type {
  ConstraintDefinition,
  ConstraintType,
  DefaultDefinition,
} from './constraint-schema.ts'
import type { OntologyDefinition, PropertyDefinition } from './definition/definition-schema.ts'
import type { Mistakes } from './definition/mistakes.ts'
import { parsePropertyType } from './definition/parse-property-type.ts'
import {
  isSameType,
  NUMBER_TYPES,
  type PropertyType,
  type ScalarType,
  typeName,
} from './definition/property-type.ts'
import type { Constraint, PropertyRules, ScalarConstraint, ValueType } from './rules.ts'
import { valueReader } from './values/read-value.ts'
import { RefusedValue } from './values/refused-value.ts'
import { isComparable } from './values/scalar-codec.ts'

/** Where a part of a definition stands; computed only for a mistake. */
type Path = () => string

const ORDERED_TYPES: ReadonlySet<ScalarType> = new Set([...NUMBER_TYPES, 'date', 'timestamp'])
const TEXT_TYPES: ReadonlySet<ScalarType> = new Set(['string', 'marking'])

/** What each constraint can be placed on, and the members that it has. */
const CONSTRAINTS: Record<ConstraintType, ConstraintKind> = {
  enum: {
    members: ['options'],
    fits: (type) => isScalar(type, isComparable),
    on: 'values that can be compared',
  },
  range: {
    members: ['minimumValue', 'maximumValue'],
    fits: (type) => isScalar(type, (one) => ORDERED_TYPES.has(one)),
    on: 'numbers, dates and timestamps',
  },
  length: { members: ['minimumLength', 'maximumLength'], fits: isText, on: 'strings' },
  regex: { members: ['pattern', 'partialMatch'], fits: isText, on: 'strings' },
  uuid: { members: [], fits: isText, on: 'strings' },
  rid: { members: [], fits: isText, on: 'strings' },
  array: {
    members: ['minimumSize', 'maximumSize', 'uniqueValues', 'valueConstraint'],
    fits: ({ kind }) => kind === 'array',
    on: 'arrays',
  },
  struct: { members: ['properties'], fits: ({ kind }) => kind === 'struct', on: 'structs' },
}

interface ConstraintKind {
  readonly members: readonly string[]
  readonly fits: (type: PropertyType) => boolean
  /** What it can be placed on, for people. */
  readonly on: string
}

function isScalar(type: PropertyType, test: (type: ScalarType) => boolean): boolean {
  return type.kind === 'scalar' && test(type.type)
}

function isText(type: PropertyType): boolean {
  return isScalar(type, (one) => TEXT_TYPES.has(one))
}

/** Parses the value types of a definition, which may refer to each other in structs. */
export function parseValueTypes(
  { valueTypes = [] }: Pick<OntologyDefinition, 'valueTypes'>,
  mistakes: Mistakes,
): ReadonlyMap<string, ValueType> {
  const parsed = new Map<string, ValueType>()
  // First those without structs: the fields of a struct name other value types.
  const isStruct = ({ baseType }: (typeof valueTypes)[number]) =>
    (baseType.items ?? baseType).type === 'struct'
  const indexed = valueTypes.map((definition, index) => ({ definition, index }))
  const ordered = [
    ...indexed.filter(({ definition }) => !isStruct(definition)),
    ...indexed.filter(({ definition }) => isStruct(definition)),
  ]
  for (const { definition, index } of ordered) {
    const { apiName, baseType, constraints = [] } = definition
    const path = () => `valueTypes[${index}]`
    if (parsed.has(apiName)) mistakes.add(`${path()}.apiName`, `${apiName} is defined twice`)
    const type = parsePropertyType(baseType, () => `${path()}.baseType`, mistakes)
    if (type === undefined) continue
    const rules = parseConstraints(constraints, type, { path, valueTypes: parsed, mistakes })
    parsed.set(apiName, {
      apiName,
      type,
      constraints: rules,
    })
  }
  return parsed
}

export interface RulesContext {
  readonly path: Path
  readonly valueTypes: ReadonlyMap<string, ValueType>
  readonly mistakes: Mistakes
}

/** Returns the rules of a property; undefined if it has none. */
export function parseRules(
  property: PropertyDefinition,
  type: PropertyType,
  context: RulesContext,
): PropertyRules | undefined {
  const { valueType, required: isRequired = false, constraints = [] } = property
  const shared = valueType === undefined ? [] : constraintsOf(valueType, type, context)
  const own = parseConstraints(constraints, type, context)
  const rules = { isRequired, constraints: [...shared, ...own] }
  const value = property.default && parseDefault(property.default, type, rules.constraints, context)
  if (
    !isRequired &&
    rules.constraints.length === 0 &&
    value === undefined &&
    valueType === undefined
  ) {
    return undefined
  }
  return { ...rules, ...(value && { default: value }), ...(valueType && { valueType }) }
}

function constraintsOf(
  name: string,
  type: PropertyType,
  { path, valueTypes, mistakes }: RulesContext,
): readonly Constraint[] {
  const valueType = valueTypes.get(name)
  if (valueType === undefined) {
    mistakes.add(`${path()}.valueType`, `the ontology has no value type ${name}`)
  } else if (!isSameType(valueType.type, type)) {
    const reason = `${name} is a type of ${typeName(valueType.type)}, but the property has type ${typeName(type)}`
    mistakes.add(`${path()}.valueType`, reason)
  } else return valueType.constraints
  return []
}

function parseConstraints(
  definitions: readonly ConstraintDefinition[],
  type: PropertyType,
  context: RulesContext,
): readonly Constraint[] {
  return definitions.flatMap((definition, index) => {
    const path = () => `${context.path()}.constraints[${index}]`
    return parseConstraint(definition, type, { ...context, path }) ?? []
  })
}

function parseConstraint(
  definition: ConstraintDefinition,
  type: PropertyType,
  context: RulesContext,
): Constraint | undefined {
  const { path, mistakes } = context
  const { members, fits, on } = CONSTRAINTS[definition.type]
  const before = mistakes.count
  for (const name of Object.keys(definition)) {
    if (name === 'type' || members.includes(name)) continue
    const allowed = members.length === 0 ? 'it has none' : `it has ${members.join(' and ')}`
    mistakes.add(
      `${path()}.${name}`,
      `is no member of the constraint ${definition.type}: ${allowed}`,
    )
  }
  if (!fits(type)) {
    mistakes.add(path(), `${definition.type} applies to ${on}, and this has type ${typeName(type)}`)
  }
  if (mistakes.count > before) return undefined
  const constraint = COMPLETE[definition.type](definition, type, context)
  return mistakes.count > before ? undefined : constraint
}

type Complete = (
  definition: ConstraintDefinition,
  type: PropertyType,
  context: RulesContext,
) => Constraint | undefined

const asItIs: Complete = (definition) => scalarConstraint(definition)

function scalarConstraint({
  properties: _fields,
  valueConstraint: _element,
  ...members
}: ConstraintDefinition): Constraint {
  return members as ScalarConstraint
}

/** Checks the members of a constraint that fits its type. */
const COMPLETE: Record<ConstraintType, Complete> = {
  enum: (definition, type, { path, mistakes }) => {
    if (definition.options === undefined) return mistakes.add(`${path()}.options`, 'is missing')
    definition.options.forEach((option, index) => {
      checkValue(option, type, () => `${path()}.options[${index}]`, mistakes)
    })
    return scalarConstraint(definition)
  },
  range: (definition, type, { path, mistakes }) => {
    const { minimumValue, maximumValue } = definition
    for (const [name, bound] of Object.entries({ minimumValue, maximumValue })) {
      if (bound !== undefined) checkValue(bound, type, () => `${path()}.${name}`, mistakes)
    }
    if (minimumValue === undefined && maximumValue === undefined) return needsBound(path, mistakes)
    if (minimumValue === undefined || maximumValue === undefined)
      return scalarConstraint(definition)
    const isEmpty = () => {
      const check = constraintChecker(type, [{ type: 'range', minimumValue }])
      return check(JSON.parse(valueReader(type)(maximumValue))) !== undefined
    }
    // Bounds that are no values of the type were noted above.
    return mistakes.count > 0 || !isEmpty()
      ? scalarConstraint(definition)
      : mistakes.add(path(), 'no value satisfies it: the minimum is above the maximum')
  },
  length: (definition, _, { path, mistakes }) => {
    const { minimumLength, maximumLength } = definition
    const isSatisfiable = checkCounts(minimumLength, maximumLength, path, mistakes)
    return isSatisfiable ? scalarConstraint(definition) : undefined
  },
  regex: (definition, _, { path, mistakes }) => {
    if (definition.pattern === undefined) return mistakes.add(`${path()}.pattern`, 'is missing')
    try {
      RE2JS.compile(definition.pattern)
      return scalarConstraint(definition)
    } catch (error) {
      return mistakes.add(
        `${path()}.pattern`,
        `is not a regular expression of RE2: ${messageOf(error)}`,
      )
    }
  },
  uuid: asItIs,
  rid: asItIs,
  array: ({ minimumSize, maximumSize, uniqueValues, valueConstraint }, type, context) => {
    const sizes = {
      ...(minimumSize !== undefined && { minimumSize }),
      ...(maximumSize !== undefined && { maximumSize }),
      ...(uniqueValues !== undefined && { uniqueValues }),
    }
    const isBounded = minimumSize !== undefined || maximumSize !== undefined
    if (isBounded && !checkCounts(minimumSize, maximumSize, context.path, context.mistakes)) return
    if (type.kind !== 'array' || valueConstraint === undefined) return { type: 'array', ...sizes }
    const path = () => `${context.path()}.valueConstraint`
    const parsed = parseConstraint(valueConstraint, type.items, { ...context, path })
    return parsed && { type: 'array', ...sizes, valueConstraint: parsed }
  },
  struct: ({ properties = {} }, type, context) => {
    const fields = new Map<string, readonly Constraint[]>()
    for (const [name, valueType] of Object.entries(properties)) {
      const path = () => `${context.path()}.properties.${name}`
      const field = type.kind === 'struct' ? type.fields.get(name) : undefined
      if (field === undefined) context.mistakes.add(path(), 'is not a field of this struct')
      else fields.set(name, constraintsOf(valueType, field, { ...context, path }))
    }
    return { type: 'struct', fields }
  },
}

function checkCounts(
  minimum: number | undefined,
  maximum: number | undefined,
  path: Path,
  mistakes: Mistakes,
): boolean {
  if (minimum === undefined && maximum === undefined) needsBound(path, mistakes)
  else if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    mistakes.add(path(), 'no value satisfies it: the minimum is above the maximum')
  } else return true
  return false
}

function needsBound(path: Path, mistakes: Mistakes): undefined {
  return mistakes.add(path(), 'needs a minimum, a maximum, or both')
}

/** Notes why a value of the definition is no value of a type. */
function checkValue(value: unknown, type: PropertyType, path: Path, mistakes: Mistakes): boolean {
  try {
    valueReader(type)(value)
    return true
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    mistakes.add(path() + error.path, error.reason)
    return false
  }
}

/** Which types each default that is no fixed value can be a value of. */
const COMPUTED_TYPES: Record<
  Exclude<DefaultDefinition['type'], 'staticValue'>,
  readonly string[]
> = {
  currentTime: ['timestamp', 'date'],
  currentUser: ['string'],
  uniqueIdentifier: ['string'],
}

function parseDefault(
  definition: DefaultDefinition,
  type: PropertyType,
  constraints: readonly Constraint[],
  context: RulesContext,
): DefaultDefinition | undefined {
  const { mistakes } = context
  const path = () => `${context.path()}.default`
  if (definition.type !== 'staticValue') {
    const types = COMPUTED_TYPES[definition.type]
    if (definition.value !== undefined)
      return mistakes.add(`${path()}.value`, 'only a staticValue has a value')
    if (types.includes(typeName(type))) return definition
    return mistakes.add(
      path(),
      `${definition.type} is a ${types.join(' or a ')}, and this has type ${typeName(type)}`,
    )
  }
  const { value } = definition
  if (value === undefined || value === null) return mistakes.add(`${path()}.value`, 'is missing')
  if (!checkValue(value, type, () => `${path()}.value`, mistakes)) return undefined
  const violation = constraintChecker(type, constraints)(JSON.parse(valueReader(type)(value)))
  if (violation === undefined) return definition
  return mistakes.add(
    `${path()}.value`,
    `violates the constraint ${violation.constraint}: it ${violation.reason}`,
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
