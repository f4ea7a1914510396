import { Argument, type Command } from 'commander'
import { addExamples } from '../examples.ts'
import { writeOut } from '../output.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** The script is made from the commands as they are, so that it cannot fall behind them. */
export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
  addExamples(
    completion,
    'oqs completion bash > oqs-completion.bash && source oqs-completion.bash',
    'oqs completion zsh > _oqs',
    'oqs completion fish > oqs.fish',
  ).action(async (shell: Shell) => {
    const { describeTree } = await import('../completion/command-tree.ts')
    await writeOut((await scriptFor(shell))(describeTree(program)))
  })
}

async function scriptFor(shell: Shell) {
  if (shell === 'bash') return (await import('../completion/bash.ts')).bashCompletion
  if (shell === 'zsh') return (await import('../completion/zsh.ts')).zshCompletion
  return (await import('../completion/fish.ts')).fishCompletion
}
