import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { bundleService, layOutPackage } from './bundle-service.ts'
import { BUNDLE, PROCESSES, runFolder, setRunFolder } from './run-folder.ts'

const KEEPER = fileURLToPath(new URL('./run-keeper.ts', import.meta.url))

/** Creates the folder of a test run, once for all projects, and starts the process that removes it. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (runFolder() !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'oqs-test-run-'))
  mkdirSync(join(folder, PROCESSES))
  setRunFolder(folder)
  const keeper = spawn(process.execPath, [KEEPER, folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  const bundle = join(folder, BUNDLE)
  layOutPackage(bundle)
  await bundleService(bundle)
  project.onTestsRerun(() => bundleService(bundle))
  return async () => {
    const ended = once(keeper, 'close')
    keeper.stdin.end()
    await ended
  }
}
