import type { ErrorName } from '../../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { toStoreFailure } from '../file/store-failure.ts'
import type { FailedReply } from './thread-jobs.ts'

/** The error that a job ended with, rebuilt from what its thread or process sent. */
export function failureOf(reply: FailedReply): unknown {
  if ('refused' in reply) {
    const { errorName, parameters } = reply.refused
    return new ObjectQueryError(errorName as ErrorName, { ...parameters })
  }
  return toStoreFailure(Object.assign(new Error(reply.failed.message), reply.failed))
}
