/** Loads the demo into a running service and prints how to try it. */

import { formatCount } from '../contract/count-of.ts'
import { installCommand } from '../server/demo/data-packages.ts'
import { createDemoLink, createDemoToken, demoCommand } from '../server/demo/demo-token.ts'
import { loadDemoType } from '../server/demo/load-demo.ts'
import { DEMO_COUNTS, type Demo, openDemo } from '../server/demo/open-demo.ts'
import type { Server } from '../server/server.ts'
import { startProcessProgress } from './progress.ts'

export interface DemoOptions {
  /** Stops loading after the current batch. */
  readonly signal: AbortSignal
  readonly print: (line: string) => void
  /** Whether the service has a page at `/docs`. */
  readonly hasDocs: boolean
}

/** Loaded before the example command is printed, because the command uses them. */
const FIRST_TYPES = ['country', 'airport']

/** Prints a token and a command that works at once, then loads the rest of the demo. */
export async function startDemo(
  { url, store }: Server,
  { signal, print, hasDocs }: DemoOptions,
): Promise<void> {
  const demo = await openDemo(store)
  const types = demo.missing.length === 0 ? demo.unfinished : []
  let load: (names: readonly string[]) => Promise<void> = async () => {}
  let failure: Error | undefined
  try {
    load = await openLoad(types)
    await load(types.filter((name) => FIRST_TYPES.includes(name)))
  } catch (error) {
    failure = error as Error
  }
  if (signal.aborted) return

  const token = await createDemoToken(store, Date.now())
  print(`token ${token}`)
  if (demo.isDefined) print(`try   ${demoCommand(url, token)}`)
  print(`open  ${await createDemoLink(url, store, Date.now())}`)
  if (hasDocs) print(`docs  ${url}/docs (the token is valid for 24 hours)`)
  const reason = whyIncomplete(demo)
  if (reason !== undefined) print(`demo  ${reason}`)

  const rest = types.filter((name) => !FIRST_TYPES.includes(name))
  try {
    if (failure !== undefined) throw failure
    await load(rest)
    if (rest.length > 0 && !signal.aborted)
      print(`demo  loaded: ${formatCount(countOf(Object.keys(DEMO_COUNTS)))} objects`)
  } catch (error) {
    // The service is useful without the demo, so it keeps running.
    print(`demo  not complete: ${(error as Error).message}. The next start loads the rest.`)
  }

  /** Reads the data packages only if there is something to load. */
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

function whyIncomplete({ isDefined, missing }: Demo): string | undefined {
  if (missing.length > 0) {
    const [noun, verb, it] =
      missing.length === 1 ? ['package', 'is', 'it'] : ['packages', 'are', 'them']
    const state = isDefined ? 'not complete' : 'not loaded'
    return `${state}: the ${noun} ${missing.join(', ')} ${verb} missing. Install ${it} and start again: ${installCommand(missing)}`
  }
  return isDefined
    ? undefined
    : 'not loaded: the store already has other ontologies. Use an empty store: set OQS_STORE.'
}

function countOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (DEMO_COUNTS[name] ?? 0), 0)
}
