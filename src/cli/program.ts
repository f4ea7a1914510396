import { Command } from 'commander'
import { readVersion } from '../server/version.ts'
import { addConfigCommand } from './commands/config.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTokenCommand } from './commands/token.ts'

/** The command line: one file in `commands/` for each command. */
export function buildProgram(): Command {
  const program = new Command('oqs')
    .description('Stores typed objects and answers over HTTP with pages that can be trusted.')
    .version(readVersion())
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(oqs --help explains)')
    .addHelpText('after', '\nSettings come from the environment: `oqs config` lists them all.')
  addServeCommand(program)
  addTokenCommand(program)
  addConfigCommand(program)
  return program
}
