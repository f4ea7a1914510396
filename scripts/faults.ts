import { parseArgs } from 'node:util'
import { killImports } from '../test/support/killed-imports.ts'
import { readCommandLine } from './bench/command-line.ts'

/** Kills imports twenty times, and says what was left each time; see the module for what is held. */

const KILLS = 20

const HELP = `Usage: npm run faults

Kills imports ${KILLS} times, the command or the service, and completes them again: nothing that was
acknowledged may be lost, and no batch be there in part. Ends with an error where that does not hold.`

const options = readCommandLine('faults', () => {
  const help = { type: 'boolean', short: 'h', default: false } as const
  return parseArgs({ options: { help } }).values
})
if (options?.help) console.log(HELP)
else if (options !== undefined) {
  await killImports(KILLS, ({ victim, mode, left }) => {
    console.log(`${mode}, the ${victim} killed: ${left} objects left, the rerun completed`)
  })
  console.log(`${KILLS} kills: nothing acknowledged was lost, no batch was cut`)
}
