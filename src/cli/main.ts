/** Runs a command line and maps its outcome to an exit status. */
import { CommanderError } from 'commander'
import { hintFor } from './hints.ts'
import { INTERRUPTED_STATUS, Interrupted } from './interrupt.ts'
import { buildProgram } from './program.ts'
import { withReasons } from './reasons.ts'
import { describeOption } from './remedies.ts'

/** Returns the exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that exits early, such as head, is not a failure; the command may have set a status.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`oqs: cannot write to standard output: ${outputReason(error)}\n`)
    process.exit(1)
  })
  try {
    const program = await buildProgram(args)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the message; help and version end with status 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`oqs: ${describeError(error)}\n`)
    return error instanceof Interrupted ? INTERRUPTED_STATUS : 1
  }
}

function outputReason({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOSPC' ? 'no space left on the disk' : message
}

/** Returns one line, and one for each reason. */
export function describeError(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  const { message, reasons } = withReasons(error)
  if (code === 'EADDRINUSE') {
    return `${message}. Set OQS_PORT to another port, or to 0 for a free one.`
  }
  const headline = describeOption(error) + oneLine(message) + hintFor(error)
  return [headline, ...reasons.map((reason) => `  ${oneLine(reason)}`)].join('\n')
}

function oneLine(text: string): string {
  return String(text).replaceAll(/\s*\n\s*/g, ' ')
}
