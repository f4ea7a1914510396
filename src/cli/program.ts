import { Command } from 'commander'
import { readVersion } from '../server/version.ts'
import { addBackupCommand } from './commands/backup.ts'
import { addClientCommand } from './commands/client.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConfigCommand } from './commands/config.ts'
import { addDeleteCommand } from './commands/delete.ts'
import { addExportCommand } from './commands/export.ts'
import { addGetCommand } from './commands/get.ts'
import { addImportCommand } from './commands/import.ts'
import { addListCommand } from './commands/list.ts'
import { addOntologyCommand } from './commands/ontology.ts'
import { addSearchCommand } from './commands/search.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTokenCommand } from './commands/token.ts'
import { addExamples } from './examples.ts'

/** Builds the command line; each command has its own file in `commands/`. */
export function buildProgram(): Command {
  const program = new Command('oqs')
    .description('Stores typed objects and answers over HTTP with pages that can be trusted.')
    .version(readVersion())
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
  addExamples(
    program,
    'oqs list --ontology aviation --type airport',
    'oqs export --ontology aviation --type airport --output airports.ndjson',
  ).addHelpText('after', '\nSettings come from environment variables; `oqs config` lists them all.')
  addServeCommand(program)
  addOntologyCommand(program)
  addImportCommand(program)
  addListCommand(program)
  addSearchCommand(program)
  addGetCommand(program)
  addExportCommand(program)
  addDeleteCommand(program)
  addTokenCommand(program)
  addClientCommand(program)
  addBackupCommand(program)
  addConfigCommand(program)
  addCompletionCommand(program)
  return program
}
