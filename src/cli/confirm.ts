/** Asks before a command does what cannot be undone. */
import { createInterface } from 'node:readline/promises'

/**
 * Asks a question on the terminal, and returns whether the answer is yes. Throws without a terminal,
 * because nobody could answer.
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Error(`${question} Pass --yes to confirm; there is no terminal to ask on.`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal })
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
