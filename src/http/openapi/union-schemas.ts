/**
 * Queries, aggregations and object sets as `openapi.json` describes them: unions, so that generated
 * clients reject an unknown type at compile time. They are those of the parsers.
 */
import { type TSchema, Type } from 'typebox'
import { closed } from '../../contract/schema-parts.ts'
import type { AggregationGrammar } from '../../query/aggregation/parse-aggregation.ts'
import { REVISION_1_AGGREGATIONS } from '../../query/aggregation/revision-1-aggregations.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { OBJECT_SET_COMPONENT, SET_TYPES } from '../../query/object-set/parse-object-set.ts'
import type { QueryGrammar } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-types.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-types.ts'
import { refTo, type UnionType } from '../../query/parse/union-type.ts'
import { PROPERTY_IDENTIFIER_COMPONENT, PROPERTY_IDENTIFIERS } from '../../query/parse/v2-fields.ts'
import { INTERVAL_RULE_COMPONENT, INTERVAL_RULES } from '../../query/parse/v2-interval.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-types.ts'

type Components = Readonly<Record<string, object>>

/** The components that `openapi.json` refers to. */
export const UNION_SCHEMAS: Components = {
  ...queriesOf(REVISION_1_QUERIES, 'A query of revision 1.0.'),
  ...queriesOf(REVISION_2_QUERIES, 'A query of revision 2.0.'),
  ...queriesOf(V2_QUERIES, 'A query of v2.'),
  ...unionOf(INTERVAL_RULE_COMPONENT, INTERVAL_RULES, 'How terms must occur in a text.'),
  ...unionOf(
    PROPERTY_IDENTIFIER_COMPONENT,
    PROPERTY_IDENTIFIERS,
    'Names a property, or in conditions a field of a struct.',
  ),
  ...unionOf(OBJECT_SET_COMPONENT, SET_TYPES, 'A set of objects.'),
  ...aggregationsOf(REVISION_1_AGGREGATIONS, 'an aggregation'),
  ...aggregationsOf(V2_AGGREGATIONS, 'an aggregation in v2'),
}

function queriesOf({ component, types }: QueryGrammar, description: string): Components {
  return unionOf(component, types, description)
}

function aggregationsOf(grammar: AggregationGrammar, name: string): Components {
  const { components, metrics, groupings, properties } = grammar
  return {
    ...unionOf(components.metric, metrics, `A metric of ${name}.`),
    ...unionOf(components.grouping, groupings, `A grouping of ${name}.`, properties.schema),
  }
}

/** Returns a union discriminated by `type`, and each of its components. */
function unionOf(
  name: string,
  types: ReadonlyMap<string, UnionType>,
  description: string,
  shared: Readonly<Record<string, TSchema>> = {},
): Components {
  const groups = Map.groupBy(types, ([, { component }]) => `${name}${component}`)
  const mapping = [...types].map(([type, { component }]) => [
    type,
    refTo(`${name}${component}`).$ref,
  ])
  return {
    [name]: {
      description,
      oneOf: [...groups.keys()].map(refTo),
      discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
    },
    ...Object.fromEntries(
      [...groups].map(([component, members]) => [
        component,
        Type.Object(
          {
            type: Type.Enum(members.map(([type]) => type)),
            ...shared,
            ...members[0]?.[1].schema,
          },
          closed,
        ),
      ]),
    ),
  }
}

/** The filters of a listing: free query parameters, whose last part is the operator. */
export const FILTER_PARAMETER = {
  name: 'filters',
  in: 'query',
  required: false,
  style: 'form',
  explode: true,
  description:
    'Filters, each a query parameter of its own: `properties.NAME.OPERATOR=VALUE`, or `p.NAME.OPERATOR=VALUE` for short. All filters must hold. Operators: `eq`, `neq`, `contains` (arrays), `lt`, `lte`, `gt`, `gte` and `isNull` (`true` or `false`). Several values of `eq` or `contains` match any of them, several values of `neq` none of them.',
  schema: {
    type: 'object',
    propertyNames: {
      pattern: '^(properties|p)\\..+\\.(eq|neq|contains|isNull|lt|lte|gt|gte)$',
    },
    additionalProperties: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
} as const
