/** Builds the conditions of queries and checks each against the object type. */

import { ObjectQueryError } from '../../contract/errors.ts'
import {
  IN_MAX_VALUES,
  IN_VALUES_PER_TERM,
  PATTERN_SIZE_PER_TERM,
  TEXT_TERM_COST,
} from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { NOTHING } from '../combine-queries.ts'
import { readComparedValue } from '../compared-value.ts'
import { patternSize } from '../matching/pattern.ts'
import { countTerms, writtenTerms } from '../matching/written-terms.ts'
import {
  type ComparedValue,
  type Comparison,
  EVERYTHING,
  type Field,
  type Query,
  type TextMatch,
} from '../query.ts'
import {
  definedField,
  FIELD_MAX_LENGTH,
  isEquatable,
  isOrdered,
  isText,
  type ResolvedField,
  resolveField,
} from '../resolve-field.ts'
import { parseRegex, parseWildcard } from './parse-pattern.ts'
import type { QueryBudget } from './query-budget.ts'
import { unprocessable } from './unprocessable.ts'

/** How a revision writes field names, and which errors it returns. */
export interface FieldSyntax {
  /** Returns the field that a written name refers to; undefined if the type has none. */
  readonly find: (written: string, objectType: ObjectType) => Field | undefined
  readonly notFound: (written: string, objectType: ObjectType) => ObjectQueryError
  readonly invalidValue: (refused: RefusedComparison) => ObjectQueryError
}

interface RefusedComparison {
  readonly written: string
  readonly type: string
  readonly value: unknown
  readonly reason: string
}

export interface Conditions {
  readonly compare: (operator: Comparison, field: unknown, value: unknown, path: string) => Query
  /** Equal to any of the values; an empty list matches every object. */
  readonly in: (field: unknown, values: unknown, path: string) => Query
  readonly contains: (field: unknown, value: unknown, path: string) => Query
  readonly isNull: (field: unknown, value: unknown, path: string) => Query
  readonly text: (condition: TextCondition) => Query
  /** The whole text of a value matches a wildcard or a regular expression. */
  readonly pattern: (condition: PatternCondition) => Query
  readonly resolve: (written: unknown, path: string) => ResolvedField
}

interface TextCondition {
  /** The query type as the client wrote it; the name of the match if absent. */
  readonly type?: string
  readonly match: TextMatch
  /** Undefined searches every text. */
  readonly field: unknown
  readonly value: unknown
  readonly fuzzy: boolean
  readonly path: string
}

interface PatternCondition {
  readonly type: 'wildcard' | 'regex'
  readonly field: string
  readonly value: unknown
  readonly path: string
}

/** Returns the condition builders for one query. */
export function conditionsOf(
  objectType: ObjectType,
  syntax: FieldSyntax,
  budget: QueryBudget,
): Conditions {
  const resolve = (written: unknown, path: string): ResolvedField => {
    const text = requireText(written, `${path}.field`)
    // No field has a longer name, so splitting it would be wasted work.
    if (text.length > FIELD_MAX_LENGTH) throw syntax.notFound(text, objectType)
    const field = syntax.find(text, objectType)
    const resolved = field && resolveField(objectType, field.property, field.structField)
    if (resolved === undefined) throw syntax.notFound(text, objectType)
    return resolved
  }

  const comparedValue = (
    operator: string,
    { type }: ResolvedField,
    written: string,
    value: unknown,
  ): ComparedValue => {
    budget.spendValues(1)
    if (typeof value === 'string') budget.checkText(written, value)
    if (type === undefined) throw notSupported(operator, written)
    try {
      return readComparedValue(type, value)
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error
      throw syntax.invalidValue({ written, type, value, reason: error.reason })
    }
  }

  const comparison = (
    operator: Comparison,
    resolved: ResolvedField,
    written: string,
    value: unknown,
  ): Query => ({
    kind: 'compare',
    field: resolved.field,
    operator,
    value: comparedValue(operator, resolved, written, value),
  })

  return {
    resolve,
    compare: (operator, field, value, path) => {
      const resolved = resolve(field, path)
      const allowed = operator === 'eq' ? isEquatable(resolved) : isOrdered(resolved)
      if (!allowed) throw notSupported(operator, String(field))
      return comparison(operator, resolved, String(field), value)
    },
    in: (field, values, path) => {
      const resolved = resolve(field, path)
      if (!isEquatable(resolved)) throw notSupported('in', String(field))
      if (!Array.isArray(values)) throw unprocessable(`${path}.value`, 'is not a list of values')
      if (values.length === 0) return EVERYTHING
      if (values.length > IN_MAX_VALUES) {
        throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: IN_MAX_VALUES })
      }
      budget.spendTerms(Math.floor(values.length / IN_VALUES_PER_TERM))
      const compared = values.map((value) => comparedValue('in', resolved, String(field), value))
      return { kind: 'oneOf', field: resolved.field, values: compared }
    },
    contains: (field, value, path) => {
      const resolved = resolve(field, path)
      if (!resolved.isMultiValued || !isEquatable(resolved))
        throw notSupported('contains', String(field))
      return comparison('eq', resolved, String(field), value)
    },
    isNull: (field, value, path) => {
      const resolved = resolve(field, path)
      if (typeof value !== 'boolean') throw unprocessable(`${path}.value`, 'is not a boolean')
      const isNull: Query = { kind: 'isNull', ...definedField(resolved.field) }
      return value ? isNull : { kind: 'not', of: isNull }
    },
    pattern: ({ type, field, value, path }) => {
      const resolved = resolve(field, path)
      if (!isText(resolved)) throw notSupported(type, field)
      const text = requireText(value, `${path}.value`)
      budget.checkText(field, text)
      try {
        const pattern = type === 'regex' ? parseRegex(text) : parseWildcard(text)
        budget.spendTerms(Math.floor(patternSize(pattern) / PATTERN_SIZE_PER_TERM))
        return { kind: 'pattern', field: resolved.field, pattern }
      } catch (error) {
        if (!(error instanceof RefusedValue)) throw error
        const expectedType = type === 'regex' ? 'regular expression' : 'wildcard'
        throw invalidFilter(field, value, expectedType, error.reason)
      }
    },
    text: ({ match, type = match, field, value, fuzzy, path }) => {
      const resolved = field === undefined ? undefined : resolve(field, path)
      if (resolved !== undefined && !isText(resolved)) throw notSupported(type, String(field))
      const text = requireText(value, `${path}.value`)
      budget.checkText(String(field ?? path), text)
      if (!text.isWellFormed())
        throw unprocessable(`${path}.value`, 'contains an unpaired surrogate')
      // Repeated terms only matter where their order does.
      const written = writtenTerms(text)
      const terms = match === 'anyTerm' || match === 'allTerms' ? [...new Set(written)] : written
      const count = countTerms(terms)
      budget.spendTerms(count * TEXT_TERM_COST)
      if (fuzzy) budget.spendFuzzyTerms(count)
      // A text without terms matches nothing: an empty `or` is false.
      if (count === 0) return NOTHING
      return { kind: 'text', field: resolved?.field, match, terms, fuzzy }
    },
  }
}

export function requireText(value: unknown, path: string): string {
  if (value === undefined || value === null) throw unprocessable(path, 'is missing')
  if (typeof value !== 'string') throw unprocessable(path, 'is not a string')
  return value
}

/** Returns the error for a value that its query type does not accept. */
export function invalidFilter(
  field: string,
  value: unknown,
  expectedType: string,
  reason: string,
): ObjectQueryError {
  return new ObjectQueryError('InvalidFilterValue', { field, value, expectedType, reason })
}

/** Returns the error for a query type that does not support the type of a property. */
export function notSupported(operator: string, written: string): ObjectQueryError {
  return new ObjectQueryError('PropertyTypesSearchNotSupported', {
    parameters: { [operator]: [written] },
  })
}
