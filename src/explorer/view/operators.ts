/** The conditions that suit a property, with their names. */
import {
  nameOfProperty,
  type ObjectTypeDefinition,
  type PropertyType,
  type ScalarType,
} from '../api/ontology.ts'
import type { Filter, Operator } from './view-state.ts'

export const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  eq: '=',
  neq: '≠',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  words: 'has the words',
  phrase: 'has the phrase',
  prefix: 'has a word that starts with',
  contains: 'contains',
  empty: 'is missing',
  filled: 'is present',
}

const PRESENCE: readonly Operator[] = ['filled', 'empty']
const ORDERED: readonly Operator[] = ['eq', 'neq', 'gte', 'lte', 'gt', 'lt', ...PRESENCE]
const TEXT: readonly Operator[] = ['words', 'eq', 'neq', 'prefix', 'phrase', ...PRESENCE]

const BY_TYPE: Readonly<Partial<Record<ScalarType, readonly Operator[]>>> = {
  string: TEXT,
  boolean: ['eq', ...PRESENCE],
  marking: ['eq', 'neq', ...PRESENCE],
  geopoint: PRESENCE,
  geoshape: PRESENCE,
  attachment: PRESENCE,
}

/** Returns the operators for a property, the most useful first. */
export function operatorsOf(type: PropertyType): readonly Operator[] {
  if (type.type === 'struct') return PRESENCE
  if (type.type === 'array') {
    return type.items.type === 'string'
      ? ['contains', 'words', ...PRESENCE]
      : ['contains', ...PRESENCE]
  }
  return BY_TYPE[type.type] ?? ORDERED
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'filled'
}

/** Writes a filter as its pill shows it. */
export function describeFilter(
  { field, operator, value }: Filter,
  { properties }: ObjectTypeDefinition,
): string {
  const name = nameOfProperty(field, properties[field])
  return `${name} ${OPERATOR_NAMES[operator]} ${value}`.trim()
}
