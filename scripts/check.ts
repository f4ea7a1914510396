/** Uses the service with programs of others, which are installed for it; see the help. */
import { clients } from './check/clients.ts'
import { frames, python } from './check/python.ts'
import { runCommand } from './measure/command.ts'

await runCommand({
  name: 'check',
  about:
    'Uses the service with linters, generated clients, an SDK and data frames that others publish.',
  parts: { clients, python, frames },
  texts: { 'venv=FOLDER': 'an environment that has the packages of a part, instead of a new one' },
})
