import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { ErrorName } from '../contract/error-catalogue.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Catalogue } from '../ontology/catalogue.ts'
import type { RequestScope } from './request/admission.ts'
import type { Caller } from './request/caller.ts'

/** The Fastify application as the endpoints see it: typed by their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every endpoint that needs a scope. */
    caller: Caller
    /** Read when the request arrived; set together with the caller. */
    catalogue: Catalogue
    /** Ends with the request. */
    context: RequestScope
    /** The error that this request was answered with. */
    errorName: ErrorName | undefined
  }
  interface FastifyContextConfig {
    /** What the caller's token must allow. */
    scope?: Scope
    /** The error for a body that does not fit the schema, where it is not the usual one. */
    invalidBody?: 'InvalidOntologyDefinition'
  }
}
