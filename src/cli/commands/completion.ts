import { Argument, type Command } from 'commander'
import { writeOut } from '../output.ts'
import { addExamples } from '../service-options.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/**
 * Adds `oqs completion`. The scripts are generated from the commands, so they are always complete.
 * `@bomb.sh/tab` was rejected: its scripts start `oqs`, 0.1 s of CPU time, at every press of Tab.
 */
export function addCompletionCommand(program: Command): void {
  const completion = program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish']))
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
