import type { Command } from 'commander'
import { addExamples } from '../examples.ts'

export function addServeCommand(program: Command): void {
  const serve = program
    .command('serve')
    .description('Start the service from the settings in the environment.')
    .option('--demo', 'load the demo ontology when the store is empty (OQS_DEMO=on)')
  addExamples(serve, 'oqs serve --demo', 'OQS_PORT=9090 oqs serve').action(
    async ({ demo }: { demo?: true }) => {
      // Loaded only here: the other commands need no web server and start faster without.
      const { runService } = await import('../run-service.ts')
      await runService(demo === true)
    },
  )
}
