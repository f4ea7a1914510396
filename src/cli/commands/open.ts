import type { Command } from 'commander'
import { writeOut } from '../output.ts'
import { runOnService, type ServiceContext, type ServiceOptions } from '../service-options.ts'

export function addOpenCommand(program: Command): void {
  const open = program
    .command('open')
    .description(
      'Print a link that opens the explorer, signed in with your token. It works once, within ten minutes.',
    )
  runOnService(open, ['oqs open'], printLink)
}

async function printLink({ client, signal }: ServiceContext<ServiceOptions>): Promise<void> {
  const { connection } = client
  const request = { method: 'POST', path: '/api/admin/v1/sessions/codes' } as const
  const { code } = await connection.send<{ readonly code: string }>(request)
  await writeOut(`${connection.baseUrl}/#code=${code}\n`, signal)
}
