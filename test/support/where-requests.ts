/** Arbitraries of `where` of v2 about a generated type, in the form that clients send. */
import fc from 'fast-check'
import type { GeneratedType, QueryField } from './query-arbitraries.ts'
import { comparisons, queryTexts, valuesFor } from './query-conditions.ts'
import type { RequestQuery } from './query-model.ts'
import { canBeEqual } from './query-values.ts'
import { geoQueries } from './where-geo.ts'
import { intervalQueries } from './where-intervals.ts'
import { patternQueries } from './where-patterns.ts'

/** The conditions of v2 on the fields of a type. */
export function whereLeaves(type: GeneratedType): fc.Arbitrary<RequestQuery> {
  const nulls = fc
    .tuple(fc.constantFrom(...type.model.properties.keys()), fc.boolean())
    .map(([field, value]) => ({ type: 'isNull', field, value }))
  const leaves = type.fields.flatMap((field) => {
    const named = conditionsOn(field).map(({ weight, arbitrary }) => ({
      weight,
      arbitrary: fc
        .tuple(arbitrary, namesOf(type, field))
        .map(([query, name]): RequestQuery => ({ ...query, ...name })),
    }))
    return named
  })
  return fc.oneof({ weight: 1, arbitrary: nulls }, ...leaves)
}

interface Weighted {
  readonly weight: number
  readonly arbitrary: fc.Arbitrary<RequestQuery>
}

function conditionsOn(field: QueryField): Weighted[] {
  return [
    ...comparisons(field, '').map((arbitrary) => ({ weight: 1, arbitrary })),
    ...(canBeEqual(field.type) ? [{ weight: 1, arbitrary: lists(field) }] : []),
    ...(field.isMultiValued && canBeEqual(field.type)
      ? [
          {
            weight: 1,
            arbitrary: valuesFor(field).map((value) => ({ type: 'contains', value })),
          },
        ]
      : []),
    ...(field.type === 'string' ? textConditions(field) : []),
    ...(field.type === 'geopoint' || field.type === 'geoshape'
      ? [{ weight: 6, arbitrary: geoQueries(field.type) }]
      : []),
  ]
}

function lists(field: QueryField): fc.Arbitrary<RequestQuery> {
  return fc.array(valuesFor(field), { maxLength: 4 }).map((value) => ({ type: 'in', value }))
}

function textConditions({ pool }: QueryField): Weighted[] {
  const text = queryTexts(pool)
  return [
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            'containsAllTermsInOrder',
            'containsAllTermsInOrderPrefixLastTerm',
            'startsWith',
          ),
          text,
        )
        .map(([type, value]) => ({ type, value })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('containsAllTerms', 'containsAnyTerm'), text, fc.boolean())
        .map(([type, value, fuzzy]) => ({ type, value, fuzzy })),
    },
    { weight: 6, arbitrary: patternQueries(pool.map(String)) },
    { weight: 6, arbitrary: intervalQueries(pool.map(String)) },
  ]
}

/** The members that name a field: a struct field has only an identifier. */
function namesOf(
  { model }: GeneratedType,
  { property, structField }: QueryField,
): fc.Arbitrary<object> {
  if (structField !== undefined) {
    return fc.constant({
      field: undefined,
      propertyIdentifier: {
        type: 'structField',
        propertyApiName: property,
        structFieldApiName: structField,
      },
    })
  }
  const identifiers = [
    { type: 'property', apiName: property },
    ...(property === model.primaryKey ? [{ type: 'primaryKeyProperty' }] : []),
  ]
  return fc.oneof(
    fc.constant({ field: property }),
    fc
      .constantFrom(...identifiers)
      .map((propertyIdentifier) => ({ field: undefined, propertyIdentifier })),
  )
}
