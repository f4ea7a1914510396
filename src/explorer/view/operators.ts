/** Which operators suit a property, and how a filter reads as a sentence. */
import type { PropertyType, ScalarType } from '../api/ontology.ts'
import { type FieldAt, fieldAt, nameOfField, type ShownType, scalarIn } from './field-at.ts'
import {
  alternativesOf,
  type Condition,
  type Filter,
  needsValue,
  OPERATOR_NAMES,
  type Operator,
  valuesOf,
} from './filters.ts'

const PRESENCE: readonly Operator[] = ['filled', 'empty']
const LISTS: readonly Operator[] = ['in', 'notIn']
const ORDERED: readonly Operator[] = [
  'eq',
  'neq',
  'gte',
  'lte',
  'gt',
  'lt',
  'between',
  ...LISTS,
  ...PRESENCE,
]
const TEXT: readonly Operator[] = [
  'words',
  'eq',
  'neq',
  ...LISTS,
  'prefix',
  'phrase',
  'contains',
  ...PRESENCE,
]

const BY_TYPE: Readonly<Partial<Record<ScalarType, readonly Operator[]>>> = {
  string: TEXT,
  boolean: ['eq', ...PRESENCE],
  marking: ['eq', 'neq', ...LISTS, ...PRESENCE],
  geopoint: PRESENCE,
  geoshape: PRESENCE,
  attachment: PRESENCE,
}

/** Returns the operators for a property or a link, the most useful first. */
export function operatorsOf(type: PropertyType | undefined): readonly Operator[] {
  if (type === undefined || type.type === 'struct') return PRESENCE
  if (type.type !== 'array') return BY_TYPE[type.type] ?? ORDERED
  if (scalarIn(type) === undefined) return PRESENCE
  return [
    'contains',
    ...LISTS,
    ...(type.items.type === 'string' ? (['words'] as const) : []),
    ...PRESENCE,
  ]
}

/** Arrays have values, of which one counts. */
const ARRAY_NAMES: Readonly<Partial<Record<Operator, string>>> = {
  in: 'contains one of',
  notIn: 'contains none of',
}
const LINK_NAMES: Readonly<Partial<Record<Operator, string>>> = {
  filled: 'exist',
  empty: 'do not exist',
}
const TO_ONE_NAMES: Readonly<Partial<Record<Operator, string>>> = {
  filled: 'exists',
  empty: 'does not exist',
}

/** Returns the name of an operator at a property or a link. */
export function operatorName(operator: Operator, field: FieldAt | undefined): string {
  const ofLink = field?.links.at(-1)?.cardinality === 'one' ? TO_ONE_NAMES : LINK_NAMES
  const special =
    field !== undefined && field.path === undefined
      ? ofLink[operator]
      : field?.type?.type === 'array'
        ? ARRAY_NAMES[operator]
        : undefined
  return special ?? OPERATOR_NAMES[operator]
}

/** Writes a filter as its pill shows it. `titleOf` returns how people name a value of a field. */
export function describeFilter(
  filter: Filter,
  of: ShownType,
  titleOf: (condition: Condition, value: string) => string = (_, value) => value,
): string {
  return alternativesOf(filter)
    .map((condition) => {
      const field = fieldAt(of, condition.field)
      const start = `${nameOfField(of, condition.field)} ${operatorName(condition.operator, field)}`
      if (!needsValue(condition.operator)) return start
      const values = valuesOf(condition).map((value) => titleOf(condition, value) || '(empty text)')
      return `${start} ${joinValues(condition.operator, values)}`.trim()
    })
    .join(' or ')
}

/** Values that a pill names; the others are counted. */
const MOST_NAMED = 4

function joinValues(operator: Operator, values: readonly string[]): string {
  if (operator === 'between') return values.join(' and ')
  if (values.length <= MOST_NAMED) return values.join(', ')
  const named = values.slice(0, MOST_NAMED - 1).join(', ')
  return `${named} and ${values.length - MOST_NAMED + 1} others`
}
