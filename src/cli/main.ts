import { CommanderError } from 'commander'
import { ConfigError } from '../server/config.ts'
import { buildProgram } from './program.ts'

/** Thin: parse, dispatch, exit status. 0 done, 1 failed, 2 wrong usage. */
export async function main(words: readonly string[]): Promise<number> {
  // A reader that has seen enough, such as head, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  try {
    await buildProgram().parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already said what is wrong; help and version are no mistakes.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`oqs: ${oneLine(error)}\n`)
    return 1
  }
}

function oneLine(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `${message}; set OQS_PORT to another port, or to 0 for a free one`
  return String(message).replaceAll(/\s*\n\s*/g, ' ')
}
