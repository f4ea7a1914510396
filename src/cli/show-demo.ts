import { installCommand } from '../server/demo/data-packages.ts'
import { demoCommand, makeDemoToken } from '../server/demo/demo-token.ts'
import { loadDemoType } from '../server/demo/load-demo.ts'
import { DEMO_COUNTS, type Demo, openDemo } from '../server/demo/open-demo.ts'
import type { Server } from '../server/server.ts'
import { formatCount, startProcessProgress } from './progress.ts'

export interface DemoScreen {
  /** Ends the load after the batch that is under way. */
  readonly signal: AbortSignal
  readonly print: (line: string) => void
  /** Whether the service has the page that the last line names. */
  readonly docs: boolean
}

/** Loaded before the command is shown, which asks for them. */
const SHOWN_TYPES = ['country', 'airport']

/** Shows a token and a command that works at once, then loads what is left of the demo. */
export async function showDemo(server: Server, { signal, print, docs }: DemoScreen): Promise<void> {
  const { url, store } = server
  const demo = await openDemo(store)
  const types = demo.missing.length === 0 ? demo.unfinished : []
  let load: (names: readonly string[]) => Promise<void> = async () => {}
  let failure: Error | undefined
  try {
    load = await openLoad(types)
    await load(types.filter((name) => SHOWN_TYPES.includes(name)))
  } catch (error) {
    failure = error as Error
  }
  if (signal.aborted) return

  const token = await makeDemoToken(store, Date.now())
  print(`token ${token}`)
  if (demo.isThere) print(`try   ${demoCommand(url, token)}`)
  if (docs) print(`docs  ${url}/docs (the token is good for 24 hours)`)
  const reason = reasonAgainst(demo)
  if (reason !== undefined) print(`demo  ${reason}`)

  const rest = types.filter((name) => !SHOWN_TYPES.includes(name))
  try {
    if (failure !== undefined) throw failure
    await load(rest)
    if (rest.length > 0 && !signal.aborted)
      print(`demo  loaded: ${formatCount(countOf(Object.keys(DEMO_COUNTS)))} objects`)
  } catch (error) {
    // The service is of use without; what is not there now is loaded by the next start.
    print(`demo  not complete: ${(error as Error).message}; the next start goes on`)
  }

  /** The data is opened only if there is something to load. */
  async function openLoad(all: readonly string[]) {
    if (all.length === 0) return async () => {}
    const { openSources } = await import('../server/demo/sources.ts')
    const sources = openSources()
    return async (names: readonly string[]) => {
      const progress = startProcessProgress('loading the demo', { totalObjects: countOf(names) })
      let objects = 0
      const onBatch = (loaded: number) => {
        objects += loaded
        progress.update({ objects, bytes: 0 })
      }
      try {
        for (const name of names) {
          if (signal.aborted) return
          await loadDemoType(name, { store, sources, signal, onBatch })
        }
      } finally {
        progress.end()
      }
    }
  }
}

/** Why the demo is not there, or not all of it. */
function reasonAgainst({ isThere, missing }: Demo): string | undefined {
  if (missing.length > 0) {
    const [verb, it] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
    const state = isThere ? 'not complete' : 'not loaded'
    return `${state}: ${missing.join(', ')} ${verb} missing; install ${it}, then start again: ${installCommand(missing)}`
  }
  return isThere ? undefined : 'not loaded: the store is not empty'
}

function countOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (DEMO_COUNTS[name] ?? 0), 0)
}
