#!/usr/bin/env node
// Starts the command line. Runs on old versions of Node too: there it hands over to the Node that
// the lock file brings.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
/** Set where another Node has handed over to this one, and wants to know it gone when it is. */
const LAUNCHED = 'OBJECT_QUERY_SERVICE_LAUNCHED'
/**
 * How Node is started; it does not look at the first again later. Its own choice lets garbage pile up
 * that dies young anyway, and the heap grow to several times what is alive: twice the memory for
 * pages and batches under way, for little time.
 */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
/** Other commands are over before they have much garbage. */
const LONG_COMMANDS = ['serve', 'import', 'export']

if (Number(process.versions.node.split('.')[0]) < NEEDED) handOver()
else if (startsAnew()) startAnew()
else await run()

/** A process that another one holds by a channel, or that may start none, stays as it is. */
function startsAnew() {
  return (
    LONG_COMMANDS.includes(process.argv[2]) &&
    process.platform !== 'win32' &&
    process.channel === undefined &&
    (process.permission?.has('child') ?? true) &&
    !process.execArgv.some((word) => word.startsWith('--max-semi-space-size'))
  )
}

/** The same process with the same arguments, but with its flags. */
function startAnew() {
  const [node, ...words] = process.argv
  process.execve(node, [node, ...process.execArgv, ...FLAGS, ...words], process.env)
}

/** A checkout runs from source, a published package from its build. */
async function run() {
  if (process.env[LAUNCHED] !== undefined) endWithLauncher()
  // A command that runs for a blink spends most of it on reading its own source.
  module.enableCompileCache?.()
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const build = new URL('../dist/cli/main.js', import.meta.url)
  const { main } = await import((existsSync(source) ? source : build).href)
  process.exitCode = await main(process.argv.slice(2))
}

/** A launcher that is killed cannot pass that on, but its channel closes with it. */
function endWithLauncher() {
  delete process.env[LAUNCHED]
  process.channel?.unref()
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

function handOver() {
  const node = bundledNode()
  if (node === undefined) {
    process.stderr.write(
      `oqs: this is Node ${process.versions.node}, but Node ${NEEDED} or newer is needed\n`,
    )
    process.exitCode = 1
    return
  }
  const words = [...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, words, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHED]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`oqs: ${node} does not start: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)
  })
}

function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(require.resolve(`node-${platform}-${process.arch}/package.json`))
    const node = join(folder, 'bin', platform === 'win' ? 'node.exe' : 'node')
    return existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}
