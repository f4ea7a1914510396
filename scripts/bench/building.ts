/** What reads and single writes cost while columns are built: their process is stopped in every other round. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Case, caseTable, measureCases, ratioOf } from '../measure/compare.ts'
import type { Call } from '../measure/connection.ts'
import { administer } from '../measure/parts.ts'
import { findProcess } from '../measure/processes.ts'
import { atMost, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import { NO_CACHE, type Service, type Workbench } from '../measure/workbench.ts'
import { ITEM_OBJECTS, makeItem } from './answers-data.ts'

/** How long columns may take to be built. */
const BUILD_MS = 1_200_000
/** Building may slow others by a tenth. */
const SLOWDOWN_LIMIT = 1.1
const ROUNDS = { rounds: 20, sliceMs: 300, warmUpMs: 600 }
/** The process is not stopped for longer. */
const STOPPED_MS = 3000
const CALLS = 500
const BEGIN_MS = 15_000
const POLL_MS = 100

const ITEMS = '/api/v2/ontologies/answers/objects/item'

/** Starts the service again without the columns of its store, and measures it while they are built. */
export async function measureBuilding(
  bench: Workbench,
  store: string,
  objects: number,
  print: (text: string) => void,
): Promise<readonly Mark[]> {
  await removeColumns(bench, store)
  await using service = await bench.startService({ store, settings: NO_CACHE })
  const pid = await untilBuilding(service)
  let watchdog: NodeJS.Timeout | undefined
  const signalTo = (signal: NodeJS.Signals) => {
    clearTimeout(watchdog)
    process.kill(pid, signal)
    // It may have been stopped while it held a lock of the database that a write waits for.
    if (signal === 'SIGSTOP') watchdog = setTimeout(() => signalTo('SIGCONT'), STOPPED_MS)
  }
  try {
    const kinds = Object.entries(callsOf(objects)).map(([name, calls]) => {
      const of = (state: string, signal: NodeJS.Signals): Case => ({
        name: `${name}, ${state}`,
        server: service,
        calls,
        before: () => signalTo(signal),
      })
      return { name, building: of('building', 'SIGCONT'), stopped: of('not building', 'SIGSTOP') }
    })
    const cases = kinds.flatMap(({ building, stopped }) => [building, stopped])
    const samples = await measureCases(cases, ROUNDS)
    signalTo('SIGCONT')
    const isBuilding = (await stateOf(service)) === 'building'
    if (!isBuilding) showProgress('The columns were built too soon. Use more objects.')
    print(toMarkdown(caseTable(samples)))
    return kinds.map(({ name, building, stopped }) => {
      const ratio = ratioOf(samples.get(stopped), samples.get(building))['req/s']
      const slowdown = isBuilding ? ratio : Number.NaN
      return atMost(SLOWDOWN_LIMIT, `${name} while columns are built / not, time`, slowdown)
    })
  } finally {
    signalTo('SIGCONT')
  }
}

function callsOf(objects: number): Readonly<Record<string, readonly Call[]>> {
  const items = Array.from({ length: CALLS }, (_, n) => makeItem((n * 7_368_787) % objects, 1))
  return {
    pages: [{ method: 'GET', path: `${ITEMS}?pageSize=1000` }],
    gets: items.map(({ id }) => ({ method: 'GET', path: `${ITEMS}/${id}` })),
    'single writes': items.map((item) => ({
      method: 'PUT',
      path: `${ITEM_OBJECTS}/${item.id}`,
      body: JSON.stringify(item),
    })),
  }
}

/** Waits until the columns of the only type are built, and returns their bytes; NaN if they are not. */
export async function columnBytes(service: Service): Promise<number> {
  for (const started = performance.now(); ; await sleep(POLL_MS)) {
    const { columns } = await administer(service, 'GET', 'status')
    const [type] = columns?.objectTypes ?? []
    if (type?.state === 'ready') return type.bytes
    const maxMs = type?.state === 'building' ? BUILD_MS : BEGIN_MS
    if (columns === undefined || performance.now() - started > maxMs) return Number.NaN
  }
}

/** Deletes the files of columns: beside a SQLite file, or in the folder in which the service runs. */
async function removeColumns({ folder }: Workbench, store: string): Promise<void> {
  for (const path of [`${store.replace(/^sqlite:/, '')}.columns`, join(folder, 'data/columns')]) {
    await rm(path, { recursive: true, force: true })
  }
}

/** Waits until columns are being built, and returns their process. */
async function untilBuilding(service: Service): Promise<number> {
  showProgress('waiting until columns are built')
  for (const started = performance.now(); performance.now() - started < BEGIN_MS; ) {
    const pid = findProcess(service.pid, 'columns-process-main')
    if (pid !== undefined && (await stateOf(service)) === 'building') return pid
    await sleep(POLL_MS)
  }
  throw new Error('The service builds no columns.')
}

async function stateOf(service: Service): Promise<string | undefined> {
  const { columns } = await administer(service, 'GET', 'status')
  return columns?.objectTypes[0]?.state
}
