import { killImports } from '../test/support/killed-imports.ts'

/** Kills imports twenty times, and says what was left each time; see the module for what is held. */

const KILLS = 20

await killImports(KILLS, ({ victim, mode, left }) => {
  console.log(`${mode}, the ${victim} killed: ${left} objects left, the rerun completed`)
})
console.log(`${KILLS} kills: nothing acknowledged was lost, no batch was cut`)
