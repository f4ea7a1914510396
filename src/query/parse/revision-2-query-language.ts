/**
 * The query types of search by type in revision 2.0 [4.3.2]. Fields are written `NAME` or
 * `NAME:FIELD`, with further fields of structs inside structs.
 */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed } from '../../contract/schema-parts.ts'
import { PATH_SEPARATOR } from '../../ontology/definition/struct-path.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { fieldsOf } from '../../ontology/values/searchable-values.ts'
import { matchAny } from '../combine-queries.ts'
import { EVERYTHING, type Position, type Query } from '../query.ts'
import { resolveField } from '../resolve-field.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryGrammar, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { combinators, comparisons } from './shared-query-language.ts'
import { Text, unionType, unionTypes } from './union-type.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

const REVISION_2_FIELDS: FieldSyntax = {
  // The separator is that of paths.
  find: (written) => {
    const [property = '', ...path] = written.split(PATH_SEPARATOR)
    return { property, structField: path.length === 0 ? undefined : path.join(PATH_SEPARATOR) }
  },
  notFound: (written) =>
    new ObjectQueryError('InvalidOntologyTypes', {
      invalidPropertyTypes: [written],
      invalidObjectTypes: [],
      invalidLinkTypes: [],
    }),
  invalidValue: ({ written, value, reason }) =>
    new ObjectQueryError('InvalidPropertyValue', {
      propertyType: written,
      propertyValue: value,
      reason,
    }),
}

const Field = Type.String({
  minLength: 1,
  description: '`NAME`, or `NAME:FIELD:FIELD` for a field of a struct, at any depth.',
})

/** A closed ring has at least three corners, and its last position equals its first. */
const RING_POSITIONS = 4

const Ring = Type.Array(
  Type.Object(
    {
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
    },
    closed,
  ),
  {
    minItems: RING_POSITIONS,
    description: 'A closed ring: the last position equals the first.',
  },
)

const COMPONENT = 'Revision2Query'

export const REVISION_2_QUERIES: QueryGrammar = {
  syntax: REVISION_2_FIELDS,
  member: 'query',
  component: COMPONENT,
  types: unionTypes<QueryTypeParser>({
    empty: { ...unionType('Empty'), parse: () => EVERYTHING },
    ...comparisons(Field),
    keyword: {
      ...unionType('Keyword', { query: Text }),
      parse: ({ query }, { conditions, path }) =>
        conditions.text({
          match: 'allTerms',
          field: undefined,
          value: query,
          fuzzy: false,
          path,
        }),
    },
    geoPointWithin: {
      ...unionType('GeoPointWithin', { polygon: Ring }),
      parse: ({ polygon }, parsing) => anyWithin(readRing(polygon, parsing), parsing),
    },
    ...combinators(COMPONENT),
  }),
}

/** Matches the objects with a position in a ring, whichever property it belongs to. */
function anyWithin(ring: readonly Position[], { objectType }: QueryParsing): Query {
  const members = [{ isPolygon: true, paths: [ring] }]
  return matchAny(
    fieldsOf(objectType.properties.values())
      .filter(
        ({ property, structField }) =>
          resolveField(objectType, property, structField)?.type === 'geopoint',
      )
      .map(({ property, structField }) => ({
        kind: 'geo',
        field: { property, structField },
        relation: 'within',
        area: { kind: 'shape', members },
      })),
  )
}

function readRing(polygon: unknown, { path, budget }: QueryParsing): Position[] {
  const where = `${path}.polygon`
  if (!Array.isArray(polygon) || polygon.length < RING_POSITIONS) {
    throw unprocessable(where, `is not a ring of at least ${RING_POSITIONS} positions`)
  }
  budget.spendTerms(polygon.length)
  const ring = polygon.map((position, index) => readPosition(position, `${where}[${index}]`))
  const [first, last] = [ring[0], ring.at(-1)]
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    throw unprocessable(where, 'is not closed: its last position must equal its first')
  }
  return ring
}

function readPosition(value: unknown, path: string): Position {
  const position = isJsonObject(value) ? value : {}
  const { longitude, latitude } = position
  if (typeof longitude !== 'number' || Math.abs(longitude) > 180) {
    throw unprocessable(`${path}.longitude`, 'is not a number from -180 to 180')
  }
  if (typeof latitude !== 'number' || Math.abs(latitude) > 90) {
    throw unprocessable(`${path}.latitude`, 'is not a number from -90 to 90')
  }
  refuseUnknownMembers(position, ['longitude', 'latitude'], path, 'a position')
  return [longitude, latitude]
}
