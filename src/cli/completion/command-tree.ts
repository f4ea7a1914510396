import type { Command, Option } from 'commander'

/** What a shell needs to know of the commands, read off the commands themselves. */

export interface CommandNode {
  /** The words that lead to it, without `oqs`: `token create`; empty for `oqs` itself. */
  readonly path: string
  readonly description: string
  readonly options: readonly OptionNode[]
  readonly children: readonly CommandNode[]
  /** Words that its first argument may be, if there are just some. */
  readonly choices: readonly string[]
  readonly takesFile: boolean
}

export interface OptionNode {
  /** With its dashes. */
  readonly flag: string
  readonly description: string
  readonly takesValue: boolean
  readonly takesFile: boolean
  readonly choices: readonly string[]
}

export function describeTree(command: Command, path = ''): CommandNode {
  const help = command.createHelp()
  return {
    path,
    description: command.description(),
    options: help.visibleOptions(command).map(describeOption),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => describeTree(child, `${path} ${child.name()}`.trim())),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    takesFile: command.registeredArguments.some((argument) => isFile(argument.name())),
  }
}

/** The node and all below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)]
}

export function lastWord({ path }: CommandNode): string {
  return path.split(' ').at(-1) ?? ''
}

function describeOption(option: Option): OptionNode {
  const valueName = /[<[](.+?)[\]>]/.exec(option.flags)?.[1] ?? ''
  return {
    flag: option.long ?? option.short ?? '',
    description: option.description,
    takesValue: valueName !== '',
    takesFile: isFile(valueName),
    choices: option.argChoices ?? [],
  }
}

function isFile(name: string): boolean {
  return /^(?:file|files)\b/.test(name)
}
