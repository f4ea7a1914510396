import type { FastifyError, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { ObjectQueryError } from '../../contract/errors.ts'
import { API_NAME_PATTERN } from '../../ontology/definition/api-name.ts'

/** Returns the error for a request that does not match its schema; it names the invalid part. */
export function invalidRequest(error: FastifyError, request: FastifyRequest): ObjectQueryError {
  const inBody = error.validationContext === 'body'
  if (inBody && (request.body === undefined || request.body === null)) {
    return new ObjectQueryError('MissingPostBody', { parameter: 'body' })
  }
  const [mistake] = error.validation ?? []
  const { path, reason } = describe(mistake, inBody ? 'members' : 'parameters')
  // Paging parameters have their own errors, in query strings and in bodies.
  if (mistake?.instancePath === '/pageSize') {
    const sent = (inBody ? request.body : request.query) as { readonly pageSize: unknown }
    return new ObjectQueryError('InvalidPageSize', { pageSize: sent.pageSize })
  }
  if (mistake?.instancePath === '/pageToken') {
    return new ObjectQueryError('InvalidPageToken', { reason: 'malformed' })
  }
  if (!inBody) return new ObjectQueryError('Default:InvalidArgument', { parameter: path, reason })
  if (request.routeOptions.config.invalidBody === 'InvalidOntologyDefinition') {
    return new ObjectQueryError('InvalidOntologyDefinition', { mistakes: [{ path, reason }] })
  }
  return new ObjectQueryError('Conjure:UnprocessableEntity', { parameter: path, reason })
}

interface Described {
  /** For example `objectTypes[0].properties.name`; empty for the whole body. */
  readonly path: string
  readonly reason: string
}

function describe(
  mistake: FastifySchemaValidationError | undefined,
  noun: 'members' | 'parameters',
): Described {
  const { instancePath = '', keyword = '', params = {}, message = 'is not valid' } = mistake ?? {}
  const steps = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'additionalProperties') {
    steps.push(String(params['additionalProperty']))
    const isName = NAME.test(steps.at(-1) ?? '')
    return { path: joinSteps(steps), reason: isName ? unknownName(mistake, noun) : NOT_A_NAME }
  }
  if (keyword === 'required') {
    steps.push(String(params['missingProperty']))
    return { path: joinSteps(steps), reason: 'is missing' }
  }
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as readonly unknown[]).join(', ')
    return { path: joinSteps(steps), reason: `must be one of ${allowed}` }
  }
  if (keyword === 'pattern') {
    return { path: joinSteps(steps), reason: NOT_A_NAME }
  }
  return { path: joinSteps(steps), reason: message }
}

/** Lists the allowed names. Ajv adds the schema to its errors with the option `verbose`. */
function unknownName(
  mistake: FastifySchemaValidationError | undefined,
  noun: 'members' | 'parameters',
): string {
  const { parentSchema } = mistake as { parentSchema?: { properties?: object } }
  const allowed = Object.keys(parentSchema?.properties ?? {})
  return allowed.length === 0 ? 'is unknown' : `is unknown; allowed ${noun}: ${allowed.join(', ')}`
}

const NAME = new RegExp(API_NAME_PATTERN)
const NOT_A_NAME = 'is not a valid name: use letters, digits, "_", "-" and "."'

function joinSteps(steps: readonly string[]): string {
  return steps.reduce(
    (path, step) =>
      /^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`,
    '',
  )
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
