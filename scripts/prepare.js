/**
 * Builds the explorer when a checkout is installed, so that the service finds it without the right to
 * write there. An install never fails for it: the service says what is missing, and tries again.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** JavaScript, because an older Node.js cannot run TypeScript. */
const REQUIRED_VERSION = 24
const SCRIPT = fileURLToPath(new URL('build-explorer.ts', import.meta.url))

const version = Number(process.versions.node.split('.')[0])
if (version < REQUIRED_VERSION)
  warn(`it needs Node.js ${REQUIRED_VERSION}, and this is ${version}.`)
else {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' })
  if (status !== 0) warn(`the build failed:\n${stderr.trimEnd()}`)
}

/** @param {string} reason */
function warn(reason) {
  console.warn(`The explorer was not built: ${reason}`)
}
