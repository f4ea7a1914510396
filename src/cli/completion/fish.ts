import { allNodes, type CommandNode, lastWord } from './command-tree.ts'

/** Completion for fish: `oqs completion fish | source`. */
export function fishCompletion(tree: CommandNode): string {
  const nodes = allNodes(tree)
  return `# Completion of oqs for fish; made by: oqs completion fish
# Which command is being written: words that are values of options do not count.
function __oqs_path
  set -l path ''
  set -l isValue no
  for word in (commandline -opc)[2..-1]
    if test $isValue = yes
      set isValue no
      continue
    end
    switch "$path $word"
${nodes.flatMap((node) => node.children.map((child) => enterCase(node, child))).join('\n')}
      case ${valuePatterns(nodes)}
        set isValue yes
    end
  end
  echo $path
end
function __oqs_at
  set -l path (__oqs_path)
  test "$path" = "$argv[1]"
end
complete -c oqs -f
${nodes.flatMap(completionsOf).join('\n')}
`
}

function valuePatterns(nodes: readonly CommandNode[]): string {
  return nodes
    .flatMap(({ path, options }) =>
      options.filter((option) => option.takesValue).map(({ flag }) => quote(`${path} ${flag}`)),
    )
    .join(' ')
}

function enterCase(node: CommandNode, child: CommandNode): string {
  return `      case ${quote(`${node.path} ${lastWord(child)}`)}\n        set path ${quote(child.path)}`
}

function completionsOf(node: CommandNode): string[] {
  const at = `complete -c oqs -n ${quote(`__oqs_at ${quote(node.path)}`)}`
  return [
    ...node.children.map((child) => {
      return `${at} -a ${quote(lastWord(child))} -d ${quote(child.description)}`
    }),
    ...(node.choices.length > 0 ? [`${at} -a ${quote(node.choices.join(' '))}`] : []),
    ...(node.takesFile ? [`${at} -F`] : []),
    ...node.options.map(({ flag, description, takesValue, takesFile, choices }) => {
      const words = choices.length > 0 ? ` -a ${quote(choices.join(' '))}` : ''
      const value = takesValue ? ` -r${takesFile ? ' -F' : ''}${words}` : ''
      return `${at} -l ${quote(flag.replace(/^-+/, ''))}${value} -d ${quote(description)}`
    }),
  ]
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
