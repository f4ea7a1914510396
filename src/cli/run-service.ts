import closeWithGrace from 'close-with-grace'
import { readConfig } from '../server/config.ts'
import { DEMO_DEFINITION } from '../server/demo/definition.ts'
import { demoCommand, loadDemo, makeDemoToken } from '../server/demo/load-demo.ts'
import { type Server, startServer } from '../server/server.ts'

/** How long a stopping service waits for the requests that are under way. */
const STOP_TIMEOUT_MS = 10_000

/** Starts the service and stays until a signal stops it. */
export async function runService(demo: boolean): Promise<void> {
  const config = readConfig(process.env, demo ? { OQS_DEMO: 'on' } : {})
  const server = await startServer(config)
  stopOnSignal(server)
  print(`listening on ${server.url}`)
  try {
    if (config.OQS_DEMO) await showDemo(server)
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  await new Promise(() => {})
}

async function showDemo({ url, store }: Server): Promise<void> {
  await loadDemo(store, Date.now())
  const token = await makeDemoToken(store, Date.now())
  const { ontologies } = await store.readCatalogue()
  print(`token ${token}`)
  // A store that already held something keeps it, and may lack what the command asks for.
  const isThere = ontologies.some(({ apiName }) => apiName === DEMO_DEFINITION.apiName)
  print(isThere ? `try   ${demoCommand(url, token)}` : 'demo  not loaded: the store is not empty')
  print(`docs  ${url}/docs (the token is good for 24 hours)`)
}

function stopOnSignal(server: Server): void {
  let signal: NodeJS.Signals | undefined
  const { close } = closeWithGrace(
    { delay: STOP_TIMEOUT_MS, skip: ['SIGINT', 'SIGTERM'], logger: false },
    async ({ err }) => {
      if (err) server.log({ event: 'crashed', error: err })
      server.log({ event: 'stopping', signal })
      await server[Symbol.asyncDispose]()
      server.log({ event: 'stopped' })
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
