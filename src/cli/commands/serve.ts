import type { Command } from 'commander'
import { addExamples } from '../service-options.ts'

export function addServeCommand(program: Command): void {
  const serve = program
    .command('serve')
    .description('Start the service with the settings in the environment.')
    .option('--demo', 'load the demo if the store is empty (same as OQS_DEMO=on)')
  addExamples(serve, 'oqs serve --demo', 'OQS_PORT=9090 oqs serve').action(
    async ({ demo }: { demo?: true }) => {
      // Imported only here: the other commands start faster without the web server.
      const { runService } = await import('../run-service.ts')
      await runService(demo === true)
    },
  )
}
