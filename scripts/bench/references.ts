/** The engines that answers are compared with, in a Python process that has loaded the same objects. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { showProgress } from '../measure/report.ts'
import type { Workbench } from '../measure/workbench.ts'
import type { Load } from './measure-import.ts'

const ENGINES = ['sqlite', 'duckdb', 'tantivy'] as const
export type Engine = (typeof ENGINES)[number]

export interface References {
  readonly loads: readonly Load[]
  /** The engines that have loaded the objects. */
  readonly engines: readonly Engine[]
  /** Returns the times of repeated runs of the statements, and the figures of the first one in order. */
  run(engine: Engine, statements: readonly string[], times: number, maxMs: number): Promise<Reply>
}

interface Reply {
  readonly ms: readonly number[]
  readonly figures: readonly number[]
}

export const PACKAGES = 'duckdb tantivy'
const PROGRAM = fileURLToPath(new URL('./references.py', import.meta.url))

/** Loads a file into all engines that are installed or can be. */
export async function startReferences(
  bench: Workbench,
  file: string,
  venv: string | undefined,
): Promise<References> {
  showProgress(`installing ${PACKAGES}`)
  const python = await bench.findPython(venv, ...PACKAGES.split(' ')).catch((error) => {
    showProgress(error.message)
    return 'python3'
  })
  const child = spawn(python, [PROGRAM, file, bench.folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  bench.adopt(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const readReply = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${python} ${PROGRAM} ended early; its error is above.`)
    return JSON.parse(value)
  }
  const loads: Load[] = []
  for (const engine of ENGINES) {
    showProgress(`loading into ${engine}`)
    const load = await readReply()
    if (load.missing === undefined) loads.push(load)
    else showProgress(`${engine} is not compared: ${load.missing}. See --venv in the help.`)
  }
  return {
    loads,
    engines: ENGINES.filter((engine) => loads.some(({ name }) => name === engine)),
    run(engine, statements, times, maxMs) {
      child.stdin.write(`${JSON.stringify({ engine, statements, times, maxMs })}\n`)
      return readReply()
    },
  }
}
