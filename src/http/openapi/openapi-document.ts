/** The document `openapi.json`: generated from the schemas that validate, then completed. */

import swagger from '@fastify/swagger'
import fastify, { type FastifySchema, type RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { closed, DOCUMENTED_AS, DOCUMENTED_WITH } from '../../contract/schema-parts.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { StructFields } from '../../ontology/definition/definition-schema.ts'
import type { AggregationGrammar } from '../../query/aggregation/parse-aggregation.ts'
import { REVISION_1_AGGREGATIONS } from '../../query/aggregation/revision-1-aggregations.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { OBJECT_SET_COMPONENT, SET_TYPES } from '../../query/object-set/parse-object-set.ts'
import type { QueryGrammar } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import { REVISION_2_QUERIES } from '../../query/parse/revision-2-query-language.ts'
import { refTo, type UnionType } from '../../query/parse/union-type.ts'
import {
  PROPERTY_IDENTIFIER_COMPONENT,
  PROPERTY_IDENTIFIERS,
  SELECTED_PROPERTY_COMPONENT,
} from '../../query/parse/v2-fields.ts'
import { INTERVAL_RULE_COMPONENT, INTERVAL_RULES } from '../../query/parse/v2-interval.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { lazyValidators } from '../endpoint.ts'
import { AUTHORIZE_PATH, TOKEN_PATH } from '../oauth/paths.ts'
import { buildLazySerializers } from '../response/lazy-serializers.ts'
import { ErrorResponse } from '../schemas/responses.ts'
import { addExamples, describeResponses, HEADERS, type Operation } from './complete-operation.ts'
import { ERROR_EXAMPLES } from './error-examples.ts'
import { nameSchemas } from './name-schemas.ts'
import type { Schema } from './sample-response.ts'

/*
 * Queries, aggregations and object sets as `openapi.json` describes them: unions, so that generated
 * clients reject an unknown type at compile time. They are those of the parsers.
 */

type Components = Readonly<Record<string, object>>

/** The components that `openapi.json` refers to. */
const UNION_SCHEMAS: Components = {
  ...queriesOf(REVISION_1_QUERIES, 'A query of revision 1.0.'),
  ...queriesOf(REVISION_2_QUERIES, 'A query of revision 2.0.'),
  ...queriesOf(V2_QUERIES, 'A query of v2.'),
  ...unionOf(INTERVAL_RULE_COMPONENT, INTERVAL_RULES, 'How terms must occur in a text.'),
  ...unionOf(
    PROPERTY_IDENTIFIER_COMPONENT,
    PROPERTY_IDENTIFIERS,
    'Names a property, or in conditions a field of a struct.',
  ),
  ...unionOf(
    SELECTED_PROPERTY_COMPONENT,
    new Map([...PROPERTY_IDENTIFIERS].filter(([type]) => type !== 'structField')),
    'Names a property to return.',
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
const FILTER_PARAMETER = {
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

/** The groups of operations, in the order of the reference. */
const TAGS = [
  {
    name: 'Revision 1.0',
    description: 'Lists, filters, searches and aggregates the objects of an ontology.',
  },
  {
    name: 'Revision 2.0',
    description: 'Searches an object type of a family, without a limit on the number of results.',
  },
  {
    name: 'v2',
    description: 'Object sets, interfaces, actions and metadata, as published SDKs use them.',
  },
  {
    name: 'Administration',
    description: 'Definitions, writes, exports, tokens, clients, policies and the audit log.',
  },
  { name: 'Agents', description: 'The Model Context Protocol: tools that read objects.' },
  { name: 'OAuth', description: 'Access tokens for programs and people (OAuth 2.0).' },
  { name: 'Operation', description: 'Health checks and metrics.' },
]

/** Returns how clients get the bearer tokens that all endpoints accept. */
function oauthScheme(basePath: string) {
  const tokenUrl = basePath + TOKEN_PATH
  const authorizationUrl = basePath + AUTHORIZE_PATH
  return {
    type: 'oauth2' as const,
    flows: {
      clientCredentials: { tokenUrl, scopes: SCOPES },
      authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: SCOPES },
    },
  }
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Record<string, Schema> }
}

/** What the document says about an endpoint. */
export type Endpoint = Pick<RouteOptions, 'method' | 'url'> & { readonly schema: unknown }

/**
 * Writes the document. The generator is a plugin that must be registered before the endpoints, so
 * it gets an application of its own: the service itself does not load it before the first request.
 */
export async function writeOpenApi(
  endpoints: readonly Endpoint[],
  version: string,
  basePath = '',
): Promise<string> {
  const filteredOperations = new Set<string | undefined>()
  const app = fastify({
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildSerializer: buildLazySerializers } },
  })
  app.setValidatorCompiler(lazyValidators(() => app.getSchemas()))
  app.addSchema(ErrorResponse)
  app.addSchema(StructFields)
  await app.register(swagger, {
    // Components have the names of their schemas.
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    // The generator has no notion of free query parameters, and drops their patterns.
    transform: ({ schema, url }) => {
      const { querystring, operationId } = schema ?? {}
      if (querystring !== undefined && 'patternProperties' in (querystring as object)) {
        filteredOperations.add(operationId)
      }
      return { schema, url }
    },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Object Query Service',
        description: 'Stores typed objects and returns them in consistent pages.',
        version,
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath || '/' }],
      components: {
        headers: HEADERS,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          oauth2: oauthScheme(basePath),
        },
      },
      security: [{ bearer: [] }, { oauth2: [] }],
      tags: TAGS,
    },
  })
  for (const { method, url, schema } of endpoints) {
    app.route({ method, url, schema: schema as FastifySchema, handler: () => {} })
  }
  await app.ready()
  const document = replaceDocumented(app.swagger()) as Document
  const schemas = document.components?.schemas ?? {}
  Object.assign(schemas, replaceDocumented(UNION_SCHEMAS))
  // Not part of the schema itself, which is read once for each response of each endpoint.
  Object.assign(schemas, { Error: { ...schemas['Error'], examples: ERROR_EXAMPLES } })
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const operation of operations) {
    if (filteredOperations.has(operation.operationId)) {
      operation.parameters?.push({ ...FILTER_PARAMETER })
    }
    addExamples(operation, schemas)
    describeResponses(operation)
  }
  nameSchemas(operations, schemas)
  return JSON.stringify(document)
}

/**
 * Replaces each schema that is documented as a component with a reference to the component, and adds
 * the keywords that a schema is documented with.
 */
function replaceDocumented(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(replaceDocumented)
  const {
    [DOCUMENTED_AS]: component,
    [DOCUMENTED_WITH]: keywords = {},
    ...schema
  } = value as Record<string, unknown>
  const { type } = schema
  if (component === undefined) {
    return Object.fromEntries(
      Object.entries({ ...schema, ...(keywords as object) }).map(([name, member]) => [
        name,
        replaceDocumented(member),
      ]),
    )
  }
  const reference = { $ref: `#/components/schemas/${component}` }
  return Array.isArray(type) ? { anyOf: [reference, { type: 'null' }] } : reference
}
