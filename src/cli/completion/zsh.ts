import { allNodes, type CommandNode, lastWord, type OptionNode } from './command-tree.ts'

/** Completion for zsh: `source <(oqs completion zsh)`, or in a file `_oqs` of the `fpath`. */
export function zshCompletion(tree: CommandNode): string {
  return `#compdef oqs
# Completion of oqs for zsh; made by: oqs completion zsh
${allNodes(tree).map(functionOf).join('\n')}
if [[ $funcstack[1] == _oqs ]]; then
  _oqs "$@"
else
  compdef _oqs oqs
fi
`
}

/** One function for each command; those with subcommands hand over to theirs. */
function functionOf(node: CommandNode): string {
  const options = node.options.map((option) => `    ${quote(optionSpec(option))}`)
  if (node.children.length === 0) {
    return `${functionName(node)}() {
  _arguments \\
${[...options, ...argumentSpecs(node)].join(' \\\n')}
}`
  }
  const commands = node.children.map((child) => {
    return `      ${quote(`${lastWord(child)}:${escaped(child.description)}`)}`
  })
  return `${functionName(node)}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${[...options, "    '1: :->command'", "    '*:: :->rest'"].join(' \\\n')}
  if [[ $state == command ]]; then
    local -a commands=(
${commands.join('\n')}
    )
    _describe command commands
  elif [[ $state == rest ]]; then
    case $line[1] in
${node.children.map((child) => `      ${lastWord(child)}) ${functionName(child)} ;;`).join('\n')}
    esac
  fi
}`
}

function functionName({ path }: CommandNode): string {
  return ['_oqs', ...path.split(' ').filter((word) => word !== '')].join('_')
}

function optionSpec({ flag, description, takesValue, takesFile, choices }: OptionNode): string {
  const text = `${flag}[${escaped(description)}]`
  if (!takesValue) return text
  return `${text}:value:${takesFile ? '_files' : choices.length > 0 ? `(${choices.join(' ')})` : ''}`
}

function argumentSpecs({ choices, takesFile }: CommandNode): string[] {
  if (choices.length > 0) return [`    '1:value:(${choices.join(' ')})'`]
  return takesFile ? ["    '*:file:_files'"] : []
}

/** What means something in a specification. */
function escaped(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, '\\$&')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
