/** Kills the service, fills its disk, keeps it busy, and checks what is left; see the help. */
import { citus } from './faults/citus.ts'
import { disk, imports, writes } from './faults/kills.ts'
import { soak } from './faults/soak.ts'
import { runCommand } from './measure/command.ts'

await runCommand({
  name: 'faults',
  about: `Breaks the service, and checks that nothing acknowledged is lost. A failed check ends the run.
About 20 minutes per store and 4 GB; a quick run about a minute per store.`,
  parts: { writes, imports, disk, soak, citus },
  usual: ['writes', 'imports', 'disk'],
  texts: { 'citus=URL': 'writes, imports: with --postgres, a database on a Citus coordinator' },
})
