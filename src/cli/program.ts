import { Command } from 'commander'
import { readRelease } from '../server/release.ts'
import { addExamples } from './service-options.ts'

type AddCommand = (program: Command) => void

/** How each command is loaded, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  ontology: async () => (await import('./commands/ontology.ts')).addOntologyCommand,
  import: async () => (await import('./commands/import.ts')).addImportCommand,
  sync: async () => (await import('./commands/sync.ts')).addSyncCommand,
  list: async () => (await import('./commands/list.ts')).addListCommand,
  search: async () => (await import('./commands/search.ts')).addSearchCommand,
  get: async () => (await import('./commands/get.ts')).addGetCommand,
  count: async () => (await import('./commands/aggregate.ts')).addCountCommand,
  aggregate: async () => (await import('./commands/aggregate.ts')).addAggregateCommand,
  export: async () => (await import('./commands/export.ts')).addExportCommand,
  follow: async () => (await import('./commands/follow.ts')).addFollowCommand,
  mirror: async () => (await import('./commands/mirror.ts')).addMirrorCommand,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
  put: async () => (await import('./commands/put.ts')).addPutCommand,
  patch: async () => (await import('./commands/put.ts')).addPatchCommand,
  delete: async () => (await import('./commands/delete.ts')).addDeleteCommand,
  context: async () => (await import('./commands/context.ts')).addContextCommand,
  open: async () => (await import('./commands/open.ts')).addOpenCommand,
  whoami: async () => (await import('./commands/whoami.ts')).addWhoamiCommand,
  token: async () => (await import('./commands/token.ts')).addTokenCommand,
  client: async () => (await import('./commands/client.ts')).addClientCommand,
  policy: async () => (await import('./commands/policy.ts')).addPolicyCommand,
  audit: async () => (await import('./commands/audit.ts')).addAuditCommand,
  status: async () => (await import('./commands/status.ts')).addStatusCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  verify: async () => (await import('./commands/verify.ts')).addVerifyCommand,
  config: async () => (await import('./commands/config.ts')).addConfigCommand,
  complete: async () => (await import('./commands/complete.ts')).addCompleteCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
}

/** Commands that describe the others. */
const NEEDS_ALL = ['completion']

/**
 * Builds the command line; each command has its own file in `commands/`. If args name a command,
 * only that one is loaded, because loading all of them takes longer than most commands run.
 */
export async function buildProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('oqs')
    .description('Stores typed objects and answers over HTTP with pages that can be trusted.')
    .version(readRelease())
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
  addExamples(
    program,
    'oqs list --ontology aviation --type airport',
    'oqs export --ontology aviation --type airport --output airports.ndjson',
  ).addHelpText('after', '\nSettings come from environment variables; `oqs config` lists them all.')
  for (const name of namesToLoad(args)) {
    const addCommand = await COMMANDS[name]?.()
    addCommand?.(program)
  }
  return program
}

function namesToLoad([name = '']: readonly string[]): readonly string[] {
  const isAlone = Object.hasOwn(COMMANDS, name) && !NEEDS_ALL.includes(name)
  return isAlone ? [name] : Object.keys(COMMANDS)
}
