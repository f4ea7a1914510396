/** Kills imports, fills the disk, and checks what is left; see the help. */
import { fillDisk } from '../test/support/full-disk.ts'
import { killImports, killsInEachPhase } from '../test/support/killed-imports.ts'
import { FLAG, runScript } from './measure/command-line.ts'
import { toMarkdown } from './measure/table.ts'

const KILLS = 20
const QUICK_KILLS = 1

const HELP = `Usage: npm run faults -- [options]

Kills the service in each phase of an import (reading, writing, indexing, publishing), and the
command, ${KILLS} times each, and then completes the import. Fails when an acknowledged object is lost, when
neither the old nor the new objects are complete, or when the completed import differs from its
file. Then fills the disk of a service, and fails when a write is not rejected with 503, or when the
file is damaged. Takes about 10 minutes and 100 MB in TMPDIR, which are removed afterwards. The exit
status is 0, or 2 when a check fails.

  --quick           ${QUICK_KILLS} kill of each kind: about 30 seconds
  --help            this text`

await runScript({
  name: 'faults',
  help: HELP,
  options: { quick: FLAG },
  async run({ quick }) {
    const kills = quick ? QUICK_KILLS : KILLS
    const counts = new Map<string, { old: number; new: number }>()
    await killImports(killsInEachPhase(kills), ({ victim, mode, phase, left, isComplete }) => {
      const name = phase === undefined ? `the ${victim}` : `the ${victim}, ${phase}`
      const count = counts.get(name) ?? { old: 0, new: 0 }
      count[isComplete ? 'new' : 'old'] += 1
      counts.set(name, count)
      console.log(`${mode}, ${name} killed: ${left} objects left, the second run completed`)
    })
    const rows = [...counts].map(([name, count]) => [name, String(count.old), String(count.new)])
    console.log(`\n${toMarkdown([['Killed', 'old objects', 'new objects'], ...rows])}`)
    console.log('\nNo acknowledged object was lost, and none was visible before the others.')
    const { refused, acknowledged, left, added } = await fillDisk()
    if (refused.status !== 503 || left !== acknowledged || added !== 200) {
      throw new Error(`the full disk: ${JSON.stringify({ refused, acknowledged, left, added })}`)
    }
    console.log(`A full disk: 503, "${refused.reason}"; all ${left} acknowledged objects are left.`)
    return true
  },
})
