import { CommanderError } from 'commander'
import { hintFor } from './hints.ts'
import { INTERRUPTED_STATUS, Interrupted } from './interrupt.ts'
import { buildProgram } from './program.ts'

/** Thin: parse, dispatch, exit status. 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function main(words: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no failure; what was found before may be one.
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    process.stderr.write(`oqs: standard output cannot be written: ${outputReason(error)}\n`)
    process.exit(1)
  })
  try {
    await buildProgram().parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already said what is wrong; help and version are no mistakes.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`oqs: ${oneLine(error)}\n`)
    return error instanceof Interrupted ? INTERRUPTED_STATUS : 1
  }
}

function outputReason({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOSPC' ? 'no space left on the disk' : message
}

function oneLine(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return `${message}; set OQS_PORT to another port, or to 0 for a free one`
  }
  return String(message).replaceAll(/\s*\n\s*/g, ' ') + hintFor(error)
}
