import { allNodes, type CommandNode, lastWord } from './command-tree.ts'

/** Completion for bash: `source <(oqs completion bash)`. */
export function bashCompletion(tree: CommandNode): string {
  const nodes = allNodes(tree)
  return `# Completion of oqs for bash; made by: oqs completion bash
_oqs() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local path='' words='' files='' index
  # Which command is being written: words that are values of options do not count.
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
${valuePatterns(nodes)}) index=$((index + 1)) ;;
${nodes.flatMap((node) => node.children.map((child) => enterCase(node, child))).join('\n')}
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${nodes.map(wordCase).join('\n')}
  esac
  if [[ -n $files && $current != -* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _oqs oqs
`
}

function valuePatterns(nodes: readonly CommandNode[]): string {
  const patterns = nodes.flatMap(({ path, options }) =>
    options.filter((option) => option.takesValue).map(({ flag }) => `'${path} ${flag}'`),
  )
  return `      ${patterns.join(' | ')}`
}

function enterCase(node: CommandNode, child: CommandNode): string {
  return `      '${node.path} ${lastWord(child)}') path='${child.path}' ;;`
}

function valueCases({ path, options }: CommandNode): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flag, choices, takesFile }) => {
      const words = takesFile ? 'compgen -f' : `compgen -W '${choices.join(' ')}'`
      return `    '${path} ${flag}') COMPREPLY=($(${words} -- "$current")); return ;;`
    })
}

function wordCase({ path, options, children, choices, takesFile }: CommandNode): string {
  const words = [...children.map(lastWord), ...choices, ...options.map(({ flag }) => flag)]
  return `    '${path}') words='${words.join(' ')}'${takesFile ? '; files=yes' : ''} ;;`
}
