/** Kills the service, fills its disk, keeps it busy, and checks what is left; see the help. */
import { disk } from './faults/disk.ts'
import { imports } from './faults/imports.ts'
import { soak } from './faults/soak.ts'
import { writes } from './faults/writes.ts'
import { runCommand } from './measure/command.ts'

await runCommand({
  name: 'faults',
  about: `Breaks the service, and checks that nothing acknowledged is lost. A failed check ends the run.
About 20 minutes per store and 4 GB; a quick run about a minute per store.`,
  parts: { writes, imports, disk, soak },
  usual: ['writes', 'imports', 'disk'],
})
