/**
 * Kills a service under load and starts it again on the same store. After each kill, every
 * acknowledged write must be there, a write whose response was lost is applied completely or not at
 * all, and walks that began before continue.
 */
import type { ChildProcess } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../simulation/random.ts'
import { type OqsProcess, startOqs, waitForLine } from '../oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from '../service.ts'
import { DEFINITION, ONTOLOGY, TYPE, unchangedLines } from './entries.ts'
import { LoadedService } from './loaded-service.ts'

export interface KillOptions {
  /** The name for `OQS_STORE`; the store must be empty. */
  readonly store: string
  readonly kills: number
  /** Objects that nobody changes. */
  readonly objects: number
  readonly seed: number
  /** A database server that is killed together with every fourth service. */
  readonly database?: Database
  /** Called with every service. */
  readonly onStart?: (child: ChildProcess) => void
  readonly report?: (killed: Killed) => void
}

interface Database {
  kill(): Promise<void>
  start(): Promise<void>
}

interface Killed {
  /** Milliseconds from the start of the process until `/readyz` returned 200. */
  readonly restartMs: number
  readonly hasKilledDatabase: boolean
}

export interface KillReport {
  readonly kills: readonly Killed[]
  readonly acknowledged: number
  readonly refused: number
  /** Writes whose response was lost, and which were applied. */
  readonly lostResponses: number
  readonly walks: number
  /** Walks that continued after a kill. */
  readonly crossingWalks: number
}

const DATABASE_KILL_EVERY = 4
const WRITES_MIN = 5
const WRITES_MAX = 150
const DELAY_MS_MAX = 20
const PAUSE_MS = 5

/** Throws at the first violation. */
export async function killService(options: KillOptions): Promise<KillReport> {
  const { kills, objects, seed, database, report = () => {} } = options
  const random = new Random(seed)
  const load = new LoadedService(objects, random)
  const killed: Killed[] = []
  let { oqs, url } = await start(options)
  try {
    await loadEntries(url, objects)
    for (let kill = 0; kill < kills; kill += 1) {
      const running = load.run(url)
      // Each kill comes at another moment, also inside a commit.
      await load.untilBusy(random.between(WRITES_MIN, WRITES_MAX))
      await sleep(random.between(0, DELAY_MS_MAX))
      // The walks may have ended meanwhile.
      await load.untilBusy(0)
      const hasKilledDatabase = database !== undefined && kill % DATABASE_KILL_EVERY === 0
      if (hasKilledDatabase) {
        load.expectOutage()
        await database.kill()
      }
      load.expectEnd()
      await oqs[Symbol.asyncDispose]()
      await running
      if (hasKilledDatabase) await database.start()
      const restarted = await start(options)
      oqs = restarted.oqs
      url = restarted.url
      await load.check(url)
      const { restartMs } = restarted
      killed.push({ restartMs, hasKilledDatabase })
      report({ restartMs, hasKilledDatabase })
    }
    await load.finishWalks(url)
  } finally {
    await oqs[Symbol.asyncDispose]()
  }
  return { kills: killed, ...load.counts }
}

interface Started {
  readonly oqs: OqsProcess
  readonly url: string
  readonly restartMs: number
}

async function start({ store, onStart }: KillOptions): Promise<Started> {
  const started = performance.now()
  const oqs = startOqs(['serve'], {
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'error',
    OQS_LIST_OBJECTS_LIMIT: 'none',
    ...NO_CALLER_LIMITS,
  })
  onStart?.(oqs.child)
  try {
    const url = await waitForLine(oqs, 'listening on ')
    while ((await sendTo(`${url}/readyz`, { token: null })).status !== 200) await sleep(PAUSE_MS)
    return { oqs, url, restartMs: performance.now() - started }
  } catch (error) {
    await oqs[Symbol.asyncDispose]()
    throw error
  }
}

/** Defines the type, and imports the objects that nobody changes. */
export async function loadEntries(url: string, objects: number): Promise<void> {
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}`
  const { status, text } = await sendTo(url + path, { method: 'PUT', json: DEFINITION })
  if (status !== 200) throw new Error(`the definition: ${status} ${text}`)
  if (objects === 0) return
  const args = ['import', '-', '--format', 'ndjson', '--ontology', ONTOLOGY, '--type', TYPE]
  await using command = startOqs(args, { OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN }, 'pipe')
  const { stdin } = command.child
  if (stdin === null) throw new Error('the command has no standard input')
  // If the command ends early, its status says why.
  await pipeline(Readable.from(unchangedLines(objects)), stdin).catch(() => {})
  const code = await command.ended
  if (code !== 0) throw new Error(`oqs import exited with status ${code}: ${command.stderr()}`)
}
