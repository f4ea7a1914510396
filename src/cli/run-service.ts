import closeWithGrace from 'close-with-grace'
import { readConfig } from '../server/config.ts'
import { type Server, startServer } from '../server/server.ts'
import { showDemo } from './show-demo.ts'

/** How long a stopping service waits for the requests that are under way. */
const STOP_TIMEOUT_MS = 10_000

/** Starts the service and stays until a signal stops it. */
export async function runService(demo: boolean): Promise<void> {
  const config = readConfig(process.env, demo ? { OQS_DEMO: 'on' } : {})
  const server = await startServer(config)
  const stopping = new AbortController()
  let demoShown: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    // It fails where it was started, see below.
    await demoShown?.catch(() => {})
    await server[Symbol.asyncDispose]()
  }
  stopOnSignal(server, stop)
  print(`listening on ${server.url}`)
  try {
    if (config.OQS_DEMO) {
      demoShown = showDemo(server, { signal: stopping.signal, print })
      await demoShown
    }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  await new Promise(() => {})
}

function stopOnSignal({ log }: Server, stop: () => Promise<void>): void {
  let signal: NodeJS.Signals | undefined
  const { close } = closeWithGrace(
    { delay: STOP_TIMEOUT_MS, skip: ['SIGINT', 'SIGTERM', 'beforeExit'], logger: false },
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

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
