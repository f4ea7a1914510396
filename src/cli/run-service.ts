/** Runs the service until a signal stops it: alone, or as a supervisor with worker processes. */
import { isSea } from 'node:sea'
import closeWithGrace from 'close-with-grace'
import { type Config, readConfig } from '../server/config.ts'
import { fitConnections } from '../server/fit-connections.ts'
import { type Log, openLog } from '../server/log.ts'
import { misspeltSettings } from '../server/misspelt-settings.ts'
import type { Server } from '../server/server.ts'
import { loadServer } from '../server/workers/load-server.ts'
import { STOP_SIGNALS } from '../server/workers/stop-signals.ts'
import { isWorker, serveAsWorker, startWorkers, workerCount } from '../server/workers/workers.ts'
import type { startDemo } from './start-demo.ts'

/** How long a stopping service waits for requests in progress. */
const STOP_TIMEOUT_MS = 10_000
/** How much longer the supervisor waits for its workers. */
const SUPERVISOR_MARGIN_MS = 2000

export async function runService(demo: boolean): Promise<void> {
  try {
    await serve(demo)
  } catch (error) {
    // Lets the log write its buffered lines before the error message is printed.
    await new Promise(setImmediate)
    throw error
  }
}

async function serve(demo: boolean): Promise<void> {
  const settings = readConfig(process.env, demo ? { OQS_DEMO: 'on' } : {})
  // Ignores EPIPE: the service keeps running when the reader of stdout exits.
  process.stdout.removeAllListeners('error').on('error', () => {})
  const log = openLog(settings.OQS_LOG_LEVEL)
  logWarnings(log)
  const hangup = reloadOnHangup(log)
  // Workers have the limits of their supervisor, which has reported them.
  const config = fitConnections(settings, isWorker(settings) ? () => {} : log)
  if (isWorker(config)) {
    await serveAsWorker(config, log, (server) => {
      stopOnSignal(log, async () => await server[Symbol.asyncDispose](), STOP_TIMEOUT_MS)
      hangup.reload = server.reload
    })
    return await forever()
  }
  const startDemo = config.OQS_DEMO ? (await import('./start-demo.ts')).startDemo : undefined
  for (const misspelt of misspeltSettings(process.env)) {
    log({ event: 'unknownSetting', ...misspelt })
  }
  if (workerCount(config.OQS_WORKERS) > 1) {
    const server = await startWorkers(config, log, STOP_TIMEOUT_MS)
    hangup.reload = server.reload
    const stopTimeoutMs = STOP_TIMEOUT_MS + SUPERVISOR_MARGIN_MS
    const { failed } = server
    await runUntilFailure(server, { config, log, startDemo, stopTimeoutMs, failed })
  } else {
    const { startServer, explorerOpener } = await loadServer()
    const explorer = explorerOpener(log)
    // The demo prints a link to the explorer, so it is built before somebody follows the link.
    // A request for the page tries again, and reports a failure.
    if (demo) explorer().catch(() => {})
    const server = await startServer(config, { log, explorer })
    hangup.reload = server.reload
    await runUntilFailure(server, { config, log, startDemo, stopTimeoutMs: STOP_TIMEOUT_MS })
  }
}

interface RunOptions {
  readonly config: Config
  readonly log: Log
  /** Undefined without the demo. */
  readonly startDemo: typeof startDemo | undefined
  readonly stopTimeoutMs: number
  /** Rejects if the service cannot be kept running. */
  readonly failed?: Promise<never>
}

/** Prints the address of a running service and loads the demo if it is on. Only ever throws. */
async function runUntilFailure(
  server: Server,
  { config, log, startDemo, stopTimeoutMs, failed = forever() }: RunOptions,
): Promise<never> {
  const stopping = new AbortController()
  let demo: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    // A failure of the demo is handled below.
    await demo?.catch(() => {})
    await server[Symbol.asyncDispose]()
  }
  stopOnSignal(log, stop, stopTimeoutMs)
  print(`listening on ${server.url}`)
  try {
    // Only advice: a store that fails now reports it with the first request.
    if (startDemo === undefined) await printFirstSteps(server, config).catch(() => {})
    if (startDemo !== undefined) {
      demo = startDemo(server, { signal: stopping.signal, print, hasDocs: config.OQS_DOCS })
      await Promise.race([demo, failed])
    }
    return await failed
  } catch (error) {
    await stop()
    throw error
  }
}

/** Says how to get a token if nobody can use the service yet. */
async function printFirstSteps({ store }: Server, config: Config): Promise<void> {
  const isOpen = config.OQS_ADMIN_TOKEN !== undefined || config.OQS_OIDC_ISSUER !== undefined
  if (isOpen || (await store.listApiTokens()).length > 0) return
  print('This store has no API token yet. Create one in another terminal, with the same settings:')
  const oqs = isSea() ? process.execPath : 'npx oqs'
  print(`  ${oqs} token create --name me --scope api:ontologies-read,api:ontologies-write`)
}

function forever(): Promise<never> {
  return new Promise<never>(() => {})
}

/**
 * Events that close-with-grace must not handle. SIGINT, SIGTERM and SIGHUP have their own listeners.
 * The other signals keep their default action, which ends the process: after a fault such as SIGBUS,
 * a listener would let the process repeat the failed instruction endlessly.
 */
const SKIPPED_EVENTS: closeWithGrace.AllEvents[] = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR2',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
  'beforeExit',
]

function stopOnSignal(log: Log, stop: () => Promise<void>, timeoutMs: number): void {
  let signal: NodeJS.Signals | undefined
  const { close } = closeWithGrace(
    { delay: timeoutMs, skip: SKIPPED_EVENTS, logger: false },
    async ({ err }) => {
      if (err) log({ event: 'crashed', error: err })
      log({ event: 'stopping', signal })
      await stop()
      log({ event: 'stopped' })
    },
  )
  // A terminal and a package runner may both forward the same Ctrl-C; only the first one counts.
  for (const name of STOP_SIGNALS) {
    process.on(name, () => {
      if (signal !== undefined) return
      signal = name
      void close()
    })
  }
}

/**
 * Reloads the certificate on SIGHUP. A service without one ignores the signal, so that it keeps
 * running when its terminal is closed.
 */
function reloadOnHangup(log: Log): { reload: () => boolean } {
  const hangup = { reload: () => false }
  process.on('SIGHUP', (signal) => {
    if (!hangup.reload()) log({ event: 'signalIgnored', signal })
  })
  return hangup
}

/** Logs Node.js warnings as events instead of the plain text that Node.js would print. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    log({ event: 'warned', warning: `${name}: ${message}`.replaceAll(/\s+/g, ' ') })
  })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
