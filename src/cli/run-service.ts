import closeWithGrace from 'close-with-grace'
import { type Config, readConfig } from '../server/config.ts'
import { type Log, openLog } from '../server/log.ts'
import { misspeltSettings } from '../server/misspelt-settings.ts'
import { type Server, startServer } from '../server/server.ts'
import { showDemo } from './show-demo.ts'
import { isWorker, serveAsWorker, startWorkers, workerCount } from './workers.ts'

/** How long a stopping service waits for the requests that are under way. */
const STOP_TIMEOUT_MS = 10_000
/** How much longer the one waits that started several processes. */
const WORKERS_MARGIN_MS = 2000

/** Starts the service and stays until a signal stops it. */
export async function runService(demo: boolean): Promise<void> {
  try {
    await serve(demo)
  } catch (error) {
    // What was logged before stands before the last word, too.
    await new Promise(setImmediate)
    throw error
  }
}

async function serve(demo: boolean): Promise<void> {
  const config = readConfig(process.env, demo ? { OQS_DEMO: 'on' } : {})
  // Whoever read what a service prints may go; the service stays.
  process.stdout.removeAllListeners('error').on('error', () => {})
  const log = openLog(config.OQS_LOG_LEVEL)
  logWarnings(log)
  if (!isWorker(config)) {
    for (const found of misspeltSettings(process.env)) log({ event: 'unknownSetting', ...found })
  }
  if (isWorker(config)) {
    await serveAsWorker(config, (server) => {
      stopOnSignal(server, async () => await server[Symbol.asyncDispose](), STOP_TIMEOUT_MS)
    })
  } else if (workerCount(config.OQS_WORKERS) > 1) {
    const pool = await startWorkers(config, STOP_TIMEOUT_MS)
    await present(pool, config, pool.failed, STOP_TIMEOUT_MS + WORKERS_MARGIN_MS)
  } else {
    await present(await startServer(config), config, undefined, STOP_TIMEOUT_MS)
  }
  await new Promise(() => {})
}

/** Shows a running service, with the demo where it is on. Throws when it fails. */
async function present(
  server: Server,
  config: Config,
  failed: Promise<never> | undefined,
  stopTimeoutMs: number,
): Promise<void> {
  const stopping = new AbortController()
  let demoShown: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    // It fails where it was started, see below.
    await demoShown?.catch(() => {})
    await server[Symbol.asyncDispose]()
  }
  stopOnSignal(server, stop, stopTimeoutMs)
  print(`listening on ${server.url}`)
  const failure = failed ?? new Promise<never>(() => {})
  try {
    if (config.OQS_DEMO) {
      demoShown = showDemo(server, { signal: stopping.signal, print, docs: config.OQS_DOCS })
      await Promise.race([demoShown, failure])
    }
    await failure
  } catch (error) {
    await stop()
    throw error
  }
}

function stopOnSignal({ log }: Server, stop: () => Promise<void>, timeoutMs: number): void {
  let signal: NodeJS.Signals | undefined
  const { close } = closeWithGrace(
    { delay: timeoutMs, skip: ['SIGINT', 'SIGTERM', 'beforeExit'], logger: false },
    async ({ err }) => {
      if (err) log({ event: 'crashed', error: err })
      log({ event: 'stopping', signal })
      await stop()
      log({ event: 'stopped' })
    },
  )
  // A terminal and a package runner may both pass on the same Ctrl-C: the first one counts.
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (signal !== undefined) return
      signal = name
      void close()
    })
  }
}

/** As a line like any other, instead of the paragraphs that Node would print into the log. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    log({ event: 'warned', warning: `${name}: ${message}`.replaceAll(/\s+/g, ' ') })
  })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
