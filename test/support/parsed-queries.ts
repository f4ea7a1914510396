/** An object type with properties of every kind that queries treat differently, and its queries. */
import { expect } from 'vitest'
import type { ErrorName } from '../../src/contract/error-catalogue.ts'
import { parseDefinition } from '../../src/ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { parseQuery, type QueryGrammar } from '../../src/query/parse/parse-query.ts'
import type { Query } from '../../src/query/query.ts'

export const TRAVEL = parseDefinition({
  apiName: 'travel',
  rid: 'ri.ontology.main.ontology.travel',
  objectTypes: [
    {
      apiName: 'airport',
      rid: 'ri.ontology.main.object-type.airport',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        runways: { type: 'integer' },
        height: { type: 'double' },
        isOpen: { type: 'boolean' },
        opened: { type: 'date' },
        seen: { type: 'timestamp' },
        holidays: { type: 'array', items: { type: 'date' } },
        tags: { type: 'array', items: { type: 'string' } },
        location: { type: 'geopoint' },
        gates: { type: 'array', items: { type: 'geopoint' } },
        area: { type: 'geoshape' },
        photo: { type: 'attachment' },
        address: {
          type: 'struct',
          fields: { city: { type: 'string' }, floors: { type: 'integer' } },
        },
        offices: {
          type: 'array',
          items: { type: 'struct', fields: { city: { type: 'string' } } },
        },
      },
    },
  ],
})
const airport = TRAVEL.objectTypes.get('airport')
if (airport === undefined) throw new Error('the definition has no airport')

export const AIRPORT: ObjectType = airport

export const LIMITS = { maxDepth: 3, maxTerms: 100, maxTextLength: 100 }

/** Returns the parser of a grammar for airports. */
export function parserOf(grammar: QueryGrammar): (query: unknown) => Query {
  return (query) => parseQuery(grammar, query, { objectType: AIRPORT, limits: LIMITS })
}

/** Matches an error with this name and exactly these parameters. */
export function failure(errorName: ErrorName, parameters: Readonly<Record<string, unknown>>) {
  return expect.objectContaining({ errorName, parameters })
}

export function unprocessable(parameter: string, reason: string) {
  return failure('Conjure:UnprocessableEntity', { parameter, reason })
}

export const fieldOf = (property: string, structField?: string) => ({ property, structField })
