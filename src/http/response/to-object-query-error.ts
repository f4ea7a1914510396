/** Turns everything that can be thrown while a request is served into an error for the client. */
import type { FastifyError, FastifyRequest } from 'fastify'
import type { ErrorName } from '../../contract/error-catalogue.ts'
import { clientDisconnected, invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { invalidRequest } from './invalid-request.ts'

/** The errors of Fastify that have a name of their own here. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Conjure:UnsupportedMediaType',
  FST_ERR_CTP_BODY_TOO_LARGE: 'Default:RequestEntityTooLarge',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MissingPostBody',
}

export function toObjectQueryError(error: unknown, request: FastifyRequest): ObjectQueryError {
  if (error instanceof ObjectQueryError) return error
  const { validation, code, statusCode, message } = error as Partial<FastifyError>
  if (validation !== undefined) return invalidRequest(error as FastifyError, request)
  const name = FASTIFY_ERRORS[code ?? '']
  if (name === 'Conjure:UnsupportedMediaType') {
    const { consumes = ['application/json'] } = (request.routeOptions.schema ?? {}) as {
      consumes?: readonly string[]
    }
    const received = request.headers['content-type']
    return new ObjectQueryError(name, { expected: consumes.join(', '), received })
  }
  if (name !== undefined) return new ObjectQueryError(name, { parameter: 'body' })
  // Any other error that Fastify or the HTTP parser attributes to the client.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalidArgument('request', message ?? 'is not valid')
  }
  if (request.raw.aborted || code === 'ECONNRESET') return clientDisconnected()
  return new ObjectQueryError('Default:Internal')
}
