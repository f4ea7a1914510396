#!/usr/bin/env node
// Starts the command line. On an older Node.js it starts the Node.js that the package installs.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { compileCacheFolder } from './compile-cache.js'
import { FLAGS } from './node-flags.js'

const REQUIRED_VERSION = 24
/** Set by a launcher that runs on an older Node.js; see `exitWithLauncher`. */
const LAUNCHED = 'OBJECT_QUERY_SERVICE_LAUNCHED'
/** For threads, which handle one batch after another. With 16 MB, two of them take 50 MB more. */
const THREAD_FLAG = '--max-semi-space-size=8'
/** Other commands end before they produce much garbage. */
const LONG_COMMANDS = ['serve', 'import', 'export']

if (Number(process.versions.node.split('.')[0]) < REQUIRED_VERSION) launchBundledNode()
else if (needsFlags()) restartWithFlags()
else await run()

/** False for a process with an IPC channel, which a restart would break. */
function needsFlags() {
  return (
    LONG_COMMANDS.includes(process.argv[2]) &&
    process.platform !== 'win32' &&
    process.channel === undefined &&
    (process.permission?.has('child') ?? true) &&
    !process.execArgv.some((arg) => arg.startsWith('--max-semi-space-size'))
  )
}

/** Replaces this process by the same command with the flags. */
function restartWithFlags() {
  const [node, ...args] = process.argv
  process.execve(node, [node, ...process.execArgv, ...FLAGS, ...args], process.env)
}

/** Runs the source in a checkout, and the build in a published package. */
async function run() {
  if (process.env[LAUNCHED] !== undefined) exitWithLauncher()
  // The heap of this thread is set up, so this applies to threads that start later.
  if (process.execArgv.includes(FLAGS[0])) setFlagsFromString(THREAD_FLAG)
  // Short commands spend most of their time on compiling.
  const folder = process.env.NODE_COMPILE_CACHE || compileCacheFolder()
  if (folder !== undefined) {
    module.enableCompileCache(folder)
    // Threads and child processes look for it in the environment.
    process.env.NODE_COMPILE_CACHE = folder
  }
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const build = new URL('../dist/cli/main.js', import.meta.url)
  const { main } = await import((existsSync(source) ? source : build).href)
  process.exitCode = await main(process.argv.slice(2))
}

/** Stops when the launcher is killed: it cannot forward SIGKILL, but its channel closes. */
function exitWithLauncher() {
  delete process.env[LAUNCHED]
  process.channel?.unref()
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

function launchBundledNode() {
  const node = bundledNode()
  if (node === undefined) {
    process.stderr.write(
      `oqs: this is Node.js ${process.versions.node}, but oqs requires version ${REQUIRED_VERSION} or newer. Install it from https://nodejs.org, or use the executable of a release, which contains it.\n`,
    )
    process.exitCode = 1
    return
  }
  const args = [...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LAUNCHED]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`oqs: cannot start ${node}: ${error.message}\n`)
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
