import type { Command } from 'commander'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Start the service from the settings in the environment.')
    .option('--demo', 'load the demo ontology when the store is empty (OQS_DEMO=on)')
    .action(async ({ demo }: { demo?: true }) => {
      // Loaded only here: the other commands need no web server and start faster without.
      const { runService } = await import('../run-service.ts')
      await runService(demo === true)
    })
}
