/** Kills imports in each phase, and counts which objects were left. */
import { killImports, killsInEachPhase } from '../../test/support/killed-imports.ts'
import type { StoreName } from '../measure/command-line.ts'
import { print, showProgress } from '../measure/progress.ts'
import { toMarkdown } from '../measure/table.ts'
import { openStores, openWorkspace } from '../measure/workspace.ts'

/** Throws if an object is lost, or if an import is visible in part. */
export async function killImportsInEachPhase(store: StoreName, kills: number): Promise<void> {
  using workspace = openWorkspace()
  await using stores = await openStores(store, workspace)
  const counts = new Map<string, { old: number; new: number }>()
  let imports = 0
  const createStore = async () => {
    imports += 1
    const name = await stores.create(`import-${imports}`)
    return { name, [Symbol.asyncDispose]: async () => {} }
  }
  await killImports(createStore, killsInEachPhase(kills), (killed) => {
    const { victim, mode, phase, left, isComplete } = killed
    const name = phase === undefined ? `the ${victim}` : `the ${victim}, ${phase}`
    const count = counts.get(name) ?? { old: 0, new: 0 }
    count[isComplete ? 'new' : 'old'] += 1
    counts.set(name, count)
    showProgress(`${mode}, ${name} killed: ${left} objects left, the second run completed`)
  })
  const rows = [...counts].map(([name, count]) => [name, String(count.old), String(count.new)])
  print(`\n## ${store}, killed imports\n`)
  print(toMarkdown([['Killed', 'old objects', 'new objects'], ...rows]))
  print('\nNo acknowledged object was lost, and none was visible before the others.')
}
