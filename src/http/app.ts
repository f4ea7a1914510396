/** The type of the application, and what requests and routes carry beside Fastify's own members. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyServerOptions,
  RawServerDefault,
} from 'fastify'
import type { Caller } from '../access/caller-rights.ts'
import type { ErrorName } from '../contract/error-catalogue.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Catalogue } from '../ontology/catalogue.ts'
import type { WriteGuards } from './request/declare-guards.ts'
import type { HttpContext } from './request/http-context.ts'

/** The Fastify application, whose requests are typed by the schemas of their endpoints. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What builds validators and serializers from the schemas of the endpoints. */
export type SchemaCompilers = Required<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every endpoint that needs a scope. */
    caller: Caller
    /** The catalogue as of the arrival of the request. Set together with the caller. */
    catalogue: Catalogue
    /** Set when the request arrives. */
    context: HttpContext
    /** The error that was sent, for the request log. */
    errorName: ErrorName | undefined
  }
  interface FastifyContextConfig {
    /** The scope that the caller's token must have, or one of several; `any` if every token will do. */
    scope?: Scope | readonly Scope[] | 'any'
    /** How the endpoint treats the headers that guard writes. Required unless it is a GET. */
    writes?: WriteGuards
    /** Whether every success is read with `readPage` of the store, which confirms the caller. */
    isPage?: boolean
    /** The error for a body that does not match the schema, if it is not the default one. */
    invalidBody?: 'InvalidOntologyDefinition'
  }
}
