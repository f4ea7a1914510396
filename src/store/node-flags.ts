import { isSea } from 'node:sea'

/**
 * Returns the arguments that give a child process flags of Node.js, as its `execArgv`. The executable of
 * a release takes them as one argument, because all others are arguments of the program.
 */
export function nodeFlags(flags: readonly string[]): string[] {
  return isSea() ? [`--node-options=${flags.join(' ')}`] : [...flags]
}
