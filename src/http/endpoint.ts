/** Endpoints as values: what each needs, what `openapi.json` says about it, and how it is handled. */
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteShorthandOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { App } from './app.ts'
import type { Services } from './services.ts'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

interface EndpointSpec<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends Responses,
> {
  /** The method and the path. */
  readonly route: `${Method} /${string}`
  readonly config: FastifyContextConfig
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly consumes?: readonly string[]
  /** Empty for an endpoint that needs no bearer token. */
  readonly security?: readonly []
  readonly params?: Params
  readonly querystring?: Query
  readonly body?: Body
  readonly response: Response
  /** Returns further options that depend on the service. */
  readonly options?: (services: Services) => EndpointOptions
  readonly handle: (
    request: FastifyRequest<{
      Params: Static<Params>
      Querystring: Static<Query>
      Body: Static<Body>
    }>,
    reply: FastifyReply,
    services: Services,
  ) => Promise<Sent<Static<Response[200]>> | FastifyReply>
}

/** A value to send: lists may be read-only, and absent members undefined. */
type Sent<Value> = Value extends readonly (infer Element)[]
  ? readonly Sent<Element>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value]:
          | Sent<Value[Name]>
          | (object extends Pick<Value, Name> ? undefined : never)
      }
    : Value

interface Responses {
  readonly 200: TSchema
}

type EndpointOptions = Pick<
  RouteShorthandOptions,
  'bodyLimit' | 'preHandler' | 'preParsing' | 'preValidation'
>

/** Adds an endpoint to the application. */
export type Endpoint = (app: App, services: Services) => void

export function endpoint<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends Responses,
>(spec: EndpointSpec<Params, Query, Body, Response>): Endpoint {
  const { route, config, options, handle, ...schema } = spec
  const [method = '', url = ''] = route.split(' ')
  return (app, services) => {
    app.route({
      method,
      url,
      config,
      schema: schema as FastifySchema,
      ...options?.(services),
      handler: (request, reply) => handle(request as never, reply, services),
    })
  }
}

export function addEndpoints(app: App, services: Services, endpoints: readonly Endpoint[]): void {
  for (const add of endpoints) add(app, services)
}
