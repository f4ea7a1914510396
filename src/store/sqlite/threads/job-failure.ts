/** Errors of jobs, restored from their messages. */
import type { ErrorName } from '../../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { toStoreFailure } from '../file/store-failure.ts'
import type { FailedReply } from './thread-jobs.ts'

/** Restores the error of a job from the reply of its thread or process. */
export function failureOf(reply: FailedReply): unknown {
  if ('refused' in reply) {
    const { errorName, parameters } = reply.refused
    return new ObjectQueryError(errorName as ErrorName, { ...parameters })
  }
  return toStoreFailure(Object.assign(new Error(reply.failed.message), reply.failed))
}
