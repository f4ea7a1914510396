/** Kills imports in each phase, and counts which objects were left. */
import { killImports, killsInEachPhase } from '../../test/support/killed-imports.ts'
import type { Part } from '../measure/command.ts'
import { showProgress, toMarkdown } from '../measure/report.ts'

export const imports: Part<{ readonly importKills: number }> = {
  about: `Kills the service in each phase of an import (reading, writing, indexing, publishing), and the
command, and then completes the import. Either the old objects or the new ones must be complete, and
the completed import must equal its file.`,
  full: { importKills: 20 },
  quick: { importKills: 1 },
  async run({ bench, numbers, store, print }) {
    const counts = new Map<string, { old: number; new: number }>()
    const createStore = async () => ({
      name: await bench.createStore('import'),
      [Symbol.asyncDispose]: async () => {},
    })
    await killImports(createStore, killsInEachPhase(numbers.importKills), (killed) => {
      const { victim, mode, phase, left, isComplete } = killed
      const name = phase === undefined ? `the ${victim}` : `the ${victim}, ${phase}`
      const count = counts.get(name) ?? { old: 0, new: 0 }
      count[isComplete ? 'new' : 'old'] += 1
      counts.set(name, count)
      showProgress(`${mode}, ${name} killed: ${left} objects left, the second run completed`)
    })
    const rows = [...counts].map(([name, count]) => [name, String(count.old), String(count.new)])
    print(`## ${store}, killed imports`)
    print(toMarkdown([['Killed', 'old objects', 'new objects'], ...rows]))
    print('No acknowledged object was lost, and none was visible before the others.')
    return []
  },
}
