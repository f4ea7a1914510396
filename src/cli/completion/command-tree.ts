/** The commands and options as a tree, for the completion scripts. */
import type { Command, Option } from 'commander'

export interface CommandNode {
  /** The command without `oqs`, such as `token create`; empty for `oqs` itself. */
  readonly path: string
  readonly description: string
  readonly options: readonly OptionNode[]
  readonly children: readonly CommandNode[]
  /** The allowed values of the first argument; empty if any value is allowed. */
  readonly choices: readonly string[]
  readonly takesFile: boolean
}

export interface OptionNode {
  /** Including the dashes. */
  readonly flag: string
  readonly description: string
  readonly takesValue: boolean
  readonly takesFile: boolean
  readonly choices: readonly string[]
  /** What `oqs complete` prints the possible values of; undefined if there are none. */
  readonly names: NameKind | undefined
}

export const NAME_KINDS = ['ontologies', 'types', 'properties', 'contexts'] as const
export type NameKind = (typeof NAME_KINDS)[number]

const NAMES_OF_OPTIONS: Readonly<Record<string, NameKind>> = {
  '--ontology': 'ontologies',
  '--type': 'types',
  '--select': 'properties',
  '--order': 'properties',
  '--by': 'properties',
  '--where': 'properties',
  '--context': 'contexts',
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

/** Returns the node and all its descendants. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)]
}

/** Returns the name of the command itself, the last part of its path. */
export function nameOf({ path }: CommandNode): string {
  return path.split(' ').at(-1) ?? ''
}

function describeOption(option: Option): OptionNode {
  const valueName = /[<[](.+?)[\]>]/.exec(option.flags)?.[1] ?? ''
  const flag = option.long ?? option.short ?? ''
  return {
    flag,
    description: option.description,
    takesValue: valueName !== '',
    takesFile: isFile(valueName),
    choices: option.argChoices ?? [],
    names: valueName === '' ? undefined : NAMES_OF_OPTIONS[flag],
  }
}

function isFile(name: string): boolean {
  return /^(?:file|files)\b/.test(name)
}
