/** Kills imports and checks what is left; see the help. */
import { killImports } from '../test/support/killed-imports.ts'
import { FLAG, runScript } from './measure/command-line.ts'

const KILLS = 20
const QUICK_KILLS = 4

const HELP = `Usage: npm run faults -- [options]

Kills the service or the command in the middle of an import, ${KILLS} times, and then completes the
import. Fails when an acknowledged object is lost, when part of a batch is visible, or when the
completed import differs from its file. Takes about 2 minutes and 100 MB in TMPDIR, which are
removed afterwards. The exit status is 0, or 2 when a check fails.

  --quick           ${QUICK_KILLS} kills: about 20 seconds
  --help            this text`

await runScript({
  name: 'faults',
  help: HELP,
  options: { quick: FLAG },
  async run({ quick }) {
    const kills = quick ? QUICK_KILLS : KILLS
    await killImports(kills, ({ victim, mode, left }) => {
      console.log(`${mode}, ${victim} killed: ${left} objects left, the second run completed`)
    })
    console.log(`${kills} kills: no acknowledged object was lost and no batch was split.`)
    return true
  },
})
