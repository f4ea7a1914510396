import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { bundlePrograms } from '../../scripts/release/bundle-programs.ts'
import { BUNDLE, PROCESSES, runFolder, setRunFolder } from './run-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
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
  const service = join(folder, BUNDLE)
  layOutPackage(service)
  const bundle = () => bundlePrograms(join(service, 'dist'), { isShort: true })
  await bundle()
  project.onTestsRerun(bundle)
  return async () => {
    const ended = once(keeper, 'close')
    keeper.stdin.end()
    await ended
  }
}

/** Gives the bundle the layout of an installed package. */
function layOutPackage(folder: string): void {
  mkdirSync(join(folder, 'dist'), { recursive: true })
  for (const path of ['package.json', 'bin']) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  }
  // The explorer is built on use, as in a checkout.
  for (const name of ['node_modules', 'scripts', 'dist/explorer']) {
    symlinkSync(join(ROOT, name), join(folder, name))
  }
}
