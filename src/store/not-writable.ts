/** The error of writes that a full or failing disk keeps from being stored. Reads may go on. */
import { ObjectQueryError } from '../contract/errors.ts'

export class NotWritable extends ObjectQueryError {
  readonly reason: string

  constructor(reason: string, cause: unknown) {
    super('ServiceUnavailable', { reason }, { cause })
    this.reason = reason
  }
}
