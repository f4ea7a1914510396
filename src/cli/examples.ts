import type { Command } from 'commander'

/** Appends examples to the help of a command. A test runs every one of them. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  const heading = lines.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText(
    'after',
    `\n${heading}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  )
}
