import type { FastifyError, FastifyRequest } from 'fastify'
import { ObjectQueryError } from '../../contract/errors.ts'
import { findDefinitionMistakes } from '../../ontology/definition/check-definition.ts'
import { describeMisfit } from '../../ontology/definition/describe-misfit.ts'

/** Returns the error for a request that does not match its schema; it names the invalid part. */
export function invalidRequest(error: FastifyError, request: FastifyRequest): ObjectQueryError {
  const inBody = error.validationContext === 'body'
  if (inBody && (request.body === undefined || request.body === null)) {
    return new ObjectQueryError('MissingPostBody', { parameter: 'body' })
  }
  const [mistake] = error.validation ?? []
  const { path, reason } = describeMisfit(mistake, inBody ? 'members' : 'parameters')
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
    return new ObjectQueryError('InvalidOntologyDefinition', {
      mistakes: findDefinitionMistakes(request.body, { path, reason }),
    })
  }
  return new ObjectQueryError('Conjure:UnprocessableEntity', { parameter: path, reason })
}
