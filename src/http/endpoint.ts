/** Endpoints as values: what each needs, what `openapi.json` says about it, and how it is handled. */
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  RouteShorthandOptions,
} from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { closed } from '../contract/schema-parts.ts'
import type { App } from './app.ts'
import { type PathNames, pathSchema } from './schemas/paths.ts'
import { readResponses, responses } from './schemas/responses.ts'
import { IGNORED_PARAMETERS } from './schemas/v2-parameters.ts'
import type { Services } from './services.ts'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

interface EndpointSpec<
  Route extends string,
  Query extends TObject,
  Body extends TSchema,
  Response extends TSchema | Responses,
> {
  /** The method and the path, whose parameters are described in `schemas/paths.ts`. */
  readonly route: Route & `${Method} /${string}`
  readonly config: FastifyContextConfig
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly consumes?: readonly string[]
  /** Empty for an endpoint that needs no bearer token. */
  readonly security?: readonly []
  /** The parameters, beside those that all endpoints of the API take. */
  readonly querystring?: Query
  readonly body?: Body
  /** The body of 200; of a GET, 304 is possible as well. Or all responses. */
  readonly response: Response
  /** Returns further options that depend on the service. */
  readonly options?: (services: Services) => EndpointOptions
  readonly handle: (
    request: FastifyRequest<{
      Params: PathNames<Route>
      Querystring: Static<Query>
      Body: Static<Body>
    }>,
    reply: FastifyReply,
    services: Services,
  ) => Promise<Sent<Success<Response>> | FastifyReply>
}

type Success<Response> = Response extends { readonly 200: infer Body extends TSchema }
  ? Static<Body>
  : Response extends TSchema
    ? Static<Response>
    : never

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

interface Api {
  readonly path: string
  /** The tag of its endpoints in `openapi.json`. */
  readonly tag: string
  /** Follows the summaries of its endpoints. */
  readonly label?: string
  /** The parameters that all its endpoints take, beside their own; unknown ones are refused. */
  readonly parameters?: TProperties
}

const APIS: readonly Api[] = [
  { path: '/api/admin/', tag: 'Administration', parameters: {} },
  { path: '/api/v1/', tag: 'Revision 1.0', label: 'revision 1.0' },
  { path: '/api/v2/ontologies', tag: 'v2', label: 'v2', parameters: IGNORED_PARAMETERS },
  { path: '/api/v2/', tag: 'v2', label: 'v2' },
  { path: '/api/:apiFamily/', tag: 'Revision 2.0', label: 'revision 2.0' },
  { path: '/multipass/', tag: 'OAuth' },
  { path: '/mcp', tag: 'Agents', parameters: {} },
]

/** Adds an endpoint to the application. */
export type Endpoint = (app: App, services: Services) => void

export function endpoint<
  const Route extends string,
  Query extends TObject,
  Body extends TSchema,
  Response extends TSchema | Responses,
>(spec: EndpointSpec<Route, Query, Body, Response>): Endpoint {
  const { route, config, options, handle, summary, querystring, response, ...own } = spec
  const [method = '', url = ''] = route.split(' ')
  const { tag = '', label, parameters } = APIS.find(({ path }) => url.startsWith(path)) ?? {}
  const query = parameters
    ? Type.Object({ ...querystring?.properties, ...parameters }, closed)
    : querystring
  const schema = {
    ...own,
    summary: label === undefined ? summary : `${summary} (${label})`,
    tags: [tag],
    ...pathSchema(url),
    ...(query && { querystring: query }),
    response: responsesOf(method, response),
  }
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

function responsesOf(method: string, response: TSchema | Responses) {
  if ('200' in response) return response
  return method === 'GET' ? readResponses(response) : responses(response)
}

export function addEndpoints(app: App, services: Services, endpoints: readonly Endpoint[]): void {
  for (const add of endpoints) add(app, services)
}

type Validator = ReturnType<FastifySchemaCompiler<object>>

/**
 * Returns the validators of an application, whose schemas may refer to the shared ones. They check
 * requests without removing anything. A schema is compiled for the first request that needs it: all of
 * them together delay the start.
 */
export function lazyValidators(
  readShared: () => Record<string, unknown>,
): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined
  return ({ schema, httpPart }) => {
    const convert = httpPart === 'body' ? undefined : textConverter(schema)
    return lazyValidator(() => {
      ajv ??= createAjv(Object.values(readShared()) as AnySchema[])
      return ajv.compile(schema)
    }, convert)
  }
}

function createAjv(shared: AnySchema[]): Ajv {
  const ajv = new Ajv({
    strict: false,
    strictNumbers: true,
    verbose: true,
    // These two take longer than the rest of the compilation. The schemas are constants, which the
    // tests compile, and V8 removes unused variables as well.
    validateSchema: false,
    code: { optimize: false },
  })
  return ajv.addSchema(shared)
}

function lazyValidator(
  compile: () => ValidateFunction,
  convert: ((values: Record<string, unknown>) => void) | undefined,
): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (value) => {
    compiled ??= compile()
    convert?.(value)
    const isValid = compiled(value)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

/** How text with the form of a number or boolean is converted; the schema rejects any other text. */
const CONVERTERS: Readonly<Record<string, (text: string) => unknown>> = {
  // Finite however many digits there are, so that a huge page size is reduced like any large one.
  integer: (text) =>
    /^-?\d+(?:e\+?\d+)?$/i.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : text,
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

/** Paths and query strings are text, but their schemas have integers and booleans. */
function textConverter(schema: object): (values: Record<string, unknown>) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const converters = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const convert = CONVERTERS[type]
    return convert === undefined ? [] : [{ name, convert }]
  })
  return (values) => {
    for (const { name, convert } of converters) {
      const text = values[name]
      if (typeof text === 'string') values[name] = convert(text)
    }
  }
}
