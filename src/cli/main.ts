/** Runs a command line and maps its outcome to an exit status. */
import { CommanderError } from 'commander'
import { describeItem, OqsError } from '../client/oqs-error.ts'
import { hintFor } from './hints.ts'
import { INTERRUPTED_STATUS, Interrupted } from './interrupt.ts'
import { buildProgram } from './program.ts'
import { describeOption } from './remedies.ts'
import type { NamedService, UsedContext } from './service-address.ts'

/** Returns the exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that exits early, such as head, is not a failure; the command may have set a status.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`oqs: cannot write to standard output: ${outputReason(error)}\n`)
    process.exit(1)
  })
  let options: NamedService = {}
  try {
    const program = await buildProgram(args)
    program.hook('preAction', (_, command) => {
      options = command.opts()
    })
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the message; help and version end with status 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const context = error instanceof OqsError ? await contextOf(options) : undefined
    process.stderr.write(`oqs: ${describeError(error, context)}\n`)
    return error instanceof Interrupted ? INTERRUPTED_STATUS : 1
  }
}

function outputReason({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOSPC' ? 'no space left on the disk' : message
}

/** Returns the context that a command has used; undefined if that cannot be found out any more. */
async function contextOf(options: NamedService): Promise<UsedContext | undefined> {
  const { findUsedContext } = await import('./service-address.ts')
  return findUsedContext(options).catch(() => undefined)
}

/** Returns one line, and one for each reason. */
export function describeError(error: unknown, context?: UsedContext): string {
  const { code } = error as NodeJS.ErrnoException
  const { message, reasons } = withReasons(error)
  if (code === 'EADDRINUSE') {
    return `${message}. Set OQS_PORT to another port, or to 0 for a free one.`
  }
  const headline = describeOption(error) + oneLine(message) + hintFor(error, context)
  return [headline, ...reasons.map((reason) => `  ${oneLine(reason)}`)].join('\n')
}

function oneLine(text: string): string {
  return String(text).replaceAll(/\s*\n\s*/g, ' ')
}

/** The parameters of errors that list reasons. */
const LISTS = ['mistakes', 'reasons', 'refused']
/** `reasons` describes what is in `unfitObjects`. */
const OMITTED = [...LISTS, 'unfitObjects']

const MAX_REASON_LENGTH = 1000

/** Splits an error into what happened and the reasons; indented lines of its message are reasons. */
function withReasons(error: unknown): {
  readonly message: string
  readonly reasons: readonly string[]
} {
  const listed = error instanceof OqsError ? listedReasons(error) : []
  if (error instanceof OqsError && listed.length > 0) {
    return { message: error.describe(OMITTED), reasons: listed }
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
