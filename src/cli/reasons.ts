/** Reasons of an error, which are printed below it, each on a line of its own. */
import { describeItem, OqsError } from '../client/oqs-error.ts'

/** The parameters of errors that list reasons. */
const LISTS = ['mistakes', 'reasons', 'refused', 'unfitObjects']

const MAX_REASON_LENGTH = 1000

/** Splits an error into what happened and the reasons; indented lines of its message are reasons. */
export function withReasons(error: unknown): {
  readonly message: string
  readonly reasons: readonly string[]
} {
  const listed = error instanceof OqsError ? listedReasons(error) : []
  if (error instanceof OqsError && listed.length > 0) {
    return { message: error.describe(LISTS), reasons: listed }
  }
  const [message = '', ...reasons] = String((error as Error).message).split('\n  ')
  return { message, reasons }
}

function listedReasons({ parameters }: OqsError): readonly string[] {
  return LISTS.flatMap((name) => {
    const list = parameters[name]
    return Array.isArray(list) ? list.map((item) => describeItem(item, MAX_REASON_LENGTH)) : []
  })
}
