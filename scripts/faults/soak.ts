/** Runs the service under steady churn, and checks that nothing grows. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/command.ts'
import { sendOnce, type Target } from '../measure/connection.ts'
import { administer } from '../measure/parts.ts'
import { countDescriptors, hasEnded, privateMegabytes } from '../measure/processes.ts'
import { atMost, count, median, print, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { Churn, SNAPSHOT_SECONDS } from './churn.ts'

const WRITES_PER_SECOND = 8
/** Enough garbage for several collections; with fewer, the fitted line would follow one of them. */
const READS_PER_SECOND = 40
const SAMPLE_SECONDS = 10
/** Caches fill during this share of the run. */
const WARM_UP = 1 / 3
/** More than the snapshot age, the margin of maintenance, and two of its intervals. */
const SETTLE_MS = 600_000
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: String(SNAPSHOT_SECONDS),
  OQS_PAGE_TOKEN_TTL_SECONDS: String(SNAPSHOT_SECONDS),
}
const LIMITS = { megabytesPerMinute: 1, descriptors: 1, storage: 1.5 }

type Sample = Awaited<ReturnType<typeof takeSample>>

export const soak: Part<{ readonly minutes: number; readonly objects: number }> = {
  about: `Runs one service while ${WRITES_PER_SECOND} writes a second update, insert and delete objects, and up to ${READS_PER_SECOND} reads a
second walk snapshots, search, count and fetch; API tokens are created and revoked, and a definition
changes. The number of objects stays the same. Then the writes stop, and the last snapshot expires.
The stored objects must be exactly those that were written. Memory after a third of the run, open
descriptors, and the store in comparison with a new one must not grow. 35 minutes and 500 MB.`,
  full: { minutes: 30, objects: 50_000 },
  quick: { minutes: 1, objects: 1000 },
  least: { minutes: 1, objects: 1000 },
  usualStores: ['SQLite'],
  async run({ bench, numbers: { minutes, objects }, store: storeName, print: printSection }) {
    const store = await bench.createStore('soak')
    const service = await bench.startService({ store, settings: SETTINGS })
    showProgress(`loading ${count(objects)} objects`)
    const churn = new Churn(service, objects)
    await churn.load()
    const samples = await runChurn(service, churn, store, minutes)
    showProgress('comparing all objects')
    await churn.check()
    const used = await readStoredBytes(service, store)
    await service[Symbol.asyncDispose]()
    const freshStore = await bench.createStore('fresh')
    const freshService = await bench.startService({ store: freshStore, settings: SETTINGS })
    await churn.load(freshService)
    const fresh = await readStoredBytes(freshService, freshStore)
    const megabytes = (bytes: number) => `${count(bytes / 2 ** 20, 1)} MB`
    printSection(`## ${storeName}, ${count(objects)} objects, ${minutes} minutes`)
    // About ten samples, spread over the run.
    const step = Math.max(1, Math.floor(samples.length / 10))
    const shown = samples.filter((_, at) => at % step === 0 || at === samples.length - 1)
    const cells = shown.map((sample) => Object.values(sample).map((each) => count(each, 1)))
    printSection(toMarkdown([Object.keys(samples[0] ?? {}), ...cells]))
    printSection(
      `Stored after the last snapshot expired: ${megabytes(used.total)}, ${megabytes(used.inUse)} of it in use. A new store with the same objects: ${megabytes(fresh.inUse)}.`,
    )
    const growth = growthOf(samples, WARM_UP * minutes)
    const { megabytesPerMinute, descriptors, storage } = LIMITS
    return [
      atMost(megabytesPerMinute, 'growth of private memory, MB a minute', growth.memory),
      atMost(descriptors, 'growth of descriptors', growth.descriptors),
      atMost(storage, 'storage / new store', used.total / fresh.inUse),
      atMost(storage, 'storage in use / new store', used.inUse / fresh.inUse),
    ]
  },
}

/** Runs until the time is over; then stops, and waits until the last snapshot has expired. */
async function runChurn(service: Service, churn: Churn, store: string, minutes: number) {
  const started = performance.now()
  const minute = () => (performance.now() - started) / 60_000
  const samples: Sample[] = []
  let hasFailed = false
  /** Calls a step at most so often per second; a slow step delays the next ones. */
  const repeat = async (perSecond: number, step: () => Promise<void>) => {
    while (!hasFailed && minute() < minutes && !hasEnded(service.child)) {
      const before = performance.now()
      await step().catch((error) => {
        hasFailed = true
        throw error
      })
      await sleep(Math.max(0, 1000 / perSecond - (performance.now() - before)))
    }
  }
  await Promise.all([
    repeat(WRITES_PER_SECOND, () => churn.write()),
    repeat(READS_PER_SECOND, () => churn.read()),
    repeat(1 / SAMPLE_SECONDS, async () => {
      const sample = await takeSample(service, store, minute())
      samples.push(sample)
      showProgress(`minute ${count(sample.minute, 1)}: ${sample['private MB']} MB`)
    }),
  ])
  if (hasEnded(service.child)) throw new Error('The service ended.')
  await churn.end()
  const { writes, reads, walks, expired, tokens, definitions } = churn.counts
  print(
    `${count(writes)} writes, ${count(reads)} reads, ${count(walks)} snapshot walks (${count(expired)} more expired), ${tokens} API tokens, ${definitions} definitions.`,
  )
  const page = await churn.openSnapshot()
  await untilReclaimed(service)
  const { status } = await sendOnce(service, page)
  if (status !== 400) throw new Error(`A page of an expired snapshot has the status ${status}.`)
  return samples
}

/** Waits until maintenance has deleted everything that no snapshot needs. */
async function untilReclaimed(service: Service): Promise<void> {
  const started = performance.now()
  for (;;) {
    const { objectTypes, backgroundWork } = await administer(service, 'GET', 'status')
    const { tablesToRemove, reclaiming, rewrites } = backgroundWork
    let kept = 0
    for (const { version, oldestVersion } of objectTypes) kept += version - oldestVersion
    if (kept + tablesToRemove + rewrites.length === 0 && !reclaiming) return
    if (performance.now() - started > SETTLE_MS) {
      throw new Error(`${kept} versions and ${tablesToRemove} tables were not deleted.`)
    }
    showProgress(`waiting until ${kept} versions and ${tablesToRemove} tables are deleted`)
    await sleep(SAMPLE_SECONDS * 1000)
  }
}

async function takeSample(service: Service, store: string, minute: number) {
  const status = await administer(service, 'GET', 'status')
  return {
    minute,
    'private MB': privateMegabytes(service.pid),
    descriptors: countDescriptors(service.pid),
    'stored MB': Number(status.store.storedBytes) / 2 ** 20,
    'WAL MB': walBytes(store) / 2 ** 20,
  }
}

/** Returns the growth after the warm-up; of descriptors, between the first and the last quarter. */
function growthOf(samples: readonly Sample[], warmUpMinutes: number) {
  const warm = samples.filter(({ minute }) => minute >= warmUpMinutes)
  const quarter = Math.ceil(warm.length / 4)
  const [first = 0, last = 0] = [warm.slice(0, quarter), warm.slice(-quarter)].map((part) =>
    median(part.map(({ descriptors }) => descriptors)),
  )
  // The slope of the line that fits the samples best, by least squares.
  const mean = (key: 'minute' | 'private MB') =>
    warm.reduce((sum, sample) => sum + sample[key], 0) / warm.length
  const [meanX, meanY] = [mean('minute'), mean('private MB')]
  let [covariance, variance] = [0, 0]
  for (const { minute, 'private MB': megabytes } of warm) {
    covariance += (minute - meanX) * (megabytes - meanY)
    variance += (minute - meanX) ** 2
  }
  return { memory: covariance / variance, descriptors: last - first }
}

/** Returns the size of the WAL; 0 on PostgreSQL, where it belongs to the server. */
function walBytes(store: string): number {
  const file = `${store.slice('sqlite:'.length)}-wal`
  return store.startsWith('sqlite:') ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : 0
}

/** Returns the size of all files of a store, and without the space that it can use again. */
export async function readStoredBytes(service: Target, store: string) {
  const status = await administer(service, 'GET', 'status')
  const total = Number(status.store.storedBytes) + walBytes(store)
  // PostgreSQL does not tell its free space.
  if (!store.startsWith('sqlite:')) return { total, inUse: total }
  using db = new DatabaseSync(store.slice('sqlite:'.length), { readOnly: true })
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
  const pages = pragma('page_count') - pragma('freelist_count')
  return { total, inUse: pages * pragma('page_size') }
}
