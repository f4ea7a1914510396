/** Kills the service, fills its disk, and checks what is left; see the help. */

import { fillDisk } from '../test/support/full-disk.ts'
import { killImportsInEachPhase } from './faults/imports.ts'
import { killUnderLoad } from './faults/writes.ts'
import {
  chosenParts,
  chosenStores,
  FLAG,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { judge, type Mark } from './measure/marks.ts'
import { print } from './measure/progress.ts'

const PARTS = ['imports', 'writes', 'disk'] as const

const KILLS = 200
const OBJECTS = 1_000_000
const IMPORT_KILLS = 20
const QUICK = { kills: 4, objects: 10_000, importKills: 1 } as const

const HELP = `Usage: npm run faults -- [options]

Breaks the service in three parts, and checks that nothing acknowledged is lost.

1. writes: kills a service ${KILLS} times while writers and snapshot walkers load it, and starts it again
   on the same store. On PostgreSQL, every fourth kill also ends the server, which is always a
   private one. After each kill, every acknowledged write must be there once, nothing that was
   refused may be visible, a write without a response must be applied completely or not at all, and
   the walks must continue. With ${OBJECTS.toLocaleString('en')} objects, the service must be ready again in less
   than 2 seconds.
2. imports: kills the service in each phase of an import (reading, writing, indexing, publishing),
   and the command, ${IMPORT_KILLS} times each, and then completes the import. Either the old objects or the new
   ones must be complete, and the completed import must equal its file.
3. disk: fills the disk of a service on SQLite. Writes must be rejected with 503, and the file must
   stay undamaged.

Takes about 20 minutes per store and 4 GB in TMPDIR, which are removed afterwards. The exit status is
0, 1 when a restart takes too long, or 2 when a check fails.

  --only PART       one part: ${PARTS.join(', ')}
  --kills N         kills under load (${KILLS})
  --objects N       objects in the store that is killed under load (${OBJECTS.toLocaleString('en')})
  --seed N          where the choice of writes and moments begins (1)
${STORE_HELP}
  --quick           ${QUICK.kills} kills with ${QUICK.objects.toLocaleString('en')} objects, ${QUICK.importKills} kill in each phase: about a minute per store
  --help            this text`

await runScript({
  name: 'faults',
  help: HELP,
  options: { ...STORE_FLAGS, only: TEXT, kills: TEXT, objects: TEXT, seed: TEXT, quick: FLAG },
  async run({ only, quick, ...values }) {
    const parts = chosenParts(only, PARTS)
    const usual = quick ? QUICK : { kills: KILLS, objects: OBJECTS, importKills: IMPORT_KILLS }
    const kills = wholeNumber('--kills', values.kills, { min: 1, usual: usual.kills })
    const objects = wholeNumber('--objects', values.objects, { min: 0, usual: usual.objects })
    const seed = wholeNumber('--seed', values.seed, { min: 0, usual: 1 })
    const marks: Mark[] = []
    for (const store of chosenStores(values)) {
      if (parts.includes('writes'))
        marks.push(...(await killUnderLoad(store, { kills, objects, seed })))
      if (parts.includes('imports')) await killImportsInEachPhase(store, usual.importKills)
      if (parts.includes('disk') && store === 'SQLite') await checkFullDisk()
    }
    return marks.length === 0 || judge(marks) || quick
  },
})

async function checkFullDisk(): Promise<void> {
  const { refused, acknowledged, left, added } = await fillDisk()
  if (refused.status !== 503 || left !== acknowledged || added !== 200) {
    throw new Error(`the full disk: ${JSON.stringify({ refused, acknowledged, left, added })}`)
  }
  print(`\nA full disk: 503, "${refused.reason}"; all ${left} acknowledged objects are left.`)
}
