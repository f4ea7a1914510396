/**
 * The folder of a test run. It has the bundle of the service, the temporary folders of all tests,
 * and a file for each process that they started. `run-keeper.ts` ends these and removes the folder
 * when the run ends, however it ends.
 */

import { join } from 'node:path'
import type { Environment } from '../../src/server/config.ts'

/** The environment variable with the folder. Not set in scripts that use the test support. */
const VARIABLE = 'OQS_TEST_RUN_FOLDER'

/** The subfolder with one file per process, named after its process group. */
export const PROCESSES = 'processes'

/** The subfolder with the bundle of the service. */
export const BUNDLE = 'service'

export function runFolder(): string | undefined {
  return process.env[VARIABLE]
}

/** Returns the folder with the bundle of the service; undefined outside a test run. */
export function bundleFolder(): string | undefined {
  const folder = runFolder()
  return folder === undefined ? undefined : join(folder, BUNDLE)
}

/** Sets the folder for this process and its children, which share what they have compiled. */
export function setRunFolder(path: string): void {
  process.env[VARIABLE] = path
  process.env['NODE_COMPILE_CACHE'] = join(path, 'compiled')
  // Commands keep notes there.
  process.env['XDG_STATE_HOME'] = join(path, 'state')
  process.env['XDG_CONFIG_HOME'] = join(path, 'config')
}

/** Returns the environment that every program of a test needs, whatever its settings. */
export function programEnvironment(): Environment {
  const { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME, XDG_STATE_HOME } = process.env
  return { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME, XDG_STATE_HOME }
}
