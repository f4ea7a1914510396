import type { Command } from 'commander'
import { addFormOptions, chooseForm, type FormOptions, writeOut } from '../output.ts'
import { runOnService, type ServiceContext, type ServiceOptions } from '../service-options.ts'

export function addWhoamiCommand(program: Command): void {
  const whoami = program
    .command('whoami')
    .description('Show whose token is used, for which service, and what it permits.')
  addFormOptions(whoami)
  runOnService(whoami, ['oqs whoami', 'oqs whoami --json'], showCaller)
}

async function showCaller({
  client,
  options,
  signal,
}: ServiceContext<ServiceOptions & FormOptions>): Promise<void> {
  const caller = await client.administration.getCaller()
  if (chooseForm(options) === 'json') return await writeOut(`${JSON.stringify(caller)}\n`, signal)
  const { describePairs } = await import('../table.ts')
  const { name, scopes, ontologies, policies, expiresAt } = caller
  const pairs: [string, string][] = [
    ['name', name],
    ['scopes', scopes.join(' ')],
    ['ontologies', ontologies?.join(' ') ?? 'all'],
    ...(policies === undefined ? [] : [['policies', policies.join(' ')] as [string, string]]),
    ['expires', expiresAt ?? 'never'],
  ]
  await writeOut(describePairs(pairs), signal)
}
