/** Runs the service under steady churn, and checks that nothing grows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '../measure/child-process.ts'
import type { Part } from '../measure/command.ts'
import { Connection } from '../measure/connection.ts'
import { define, PART_TYPE, writeChanges } from '../measure/parts.ts'
import { atMost, count, print, showProgress, type Table, toMarkdown } from '../measure/report.ts'
import { median, slopeOf } from '../measure/statistics.ts'
import type { Service, Workbench } from '../measure/workbench.ts'
import { Churn, LABEL_PATH, SNAPSHOT_SECONDS } from './churn.ts'
import { LABELS, LiveSet, makeLabel, soakDefinition } from './live-set.ts'
import { checkObjects, readStatus, readStoredBytes, type Sample, takeSample } from './stored.ts'

const WRITES_PER_SECOND = 8
/** Enough garbage for several collections; with fewer, the fitted line would follow one of them. */
const READS_PER_SECOND = 40
const SAMPLE_SECONDS = 10
/** Caches fill during this share of the run. */
const WARM_UP = 1 / 3
/** More than the snapshot age, the margin of maintenance, and two of its intervals. */
const SETTLE_MS = 600_000
const MEMORY_LIMIT = 1
const DESCRIPTOR_LIMIT = 1
const STORAGE_LIMIT = 1.5

interface SoakNumbers {
  readonly minutes: number
  readonly objects: number
}

export const soak: Part<SoakNumbers> = {
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
    const live = new LiveSet(objects)
    const store = await bench.createStore('soak')
    const samples: Sample[] = []
    const service = await startLoaded(bench, store, live)
    await churn(service, live, minutes, async (minute) => {
      const sample = await takeSample(service, store, minute)
      samples.push(sample)
      const { megabytes, descriptors } = sample
      showProgress(`minute ${count(minute, 1)}: ${megabytes} MB, ${descriptors} descriptors`)
    })
    showProgress('comparing all objects')
    await checkObjects(service, live)
    const used = await readStoredBytes(service, store)
    await service[Symbol.asyncDispose]()
    const freshStore = await bench.createStore('fresh')
    const fresh = await readStoredBytes(await startLoaded(bench, freshStore, live), freshStore)
    const megabytes = (bytes: number) => `${count(bytes / 2 ** 20, 1)} MB`
    printSection(`## ${storeName}, ${count(objects)} objects, ${minutes} minutes`)
    printSection(toMarkdown(sampleTable(samples)))
    printSection(
      `Stored after the last snapshot expired: ${megabytes(used.total)}, ${megabytes(used.inUse)} of it in use. A new store with the same objects: ${megabytes(fresh.inUse)}.`,
    )
    const growth = growthOf(samples, WARM_UP * minutes)
    return [
      atMost(MEMORY_LIMIT, 'growth of private memory, MB a minute', growth.megabytesPerMinute),
      atMost(DESCRIPTOR_LIMIT, 'growth of descriptors', growth.descriptors),
      atMost(STORAGE_LIMIT, 'storage / new store', used.total / fresh.inUse),
      atMost(STORAGE_LIMIT, 'storage in use / new store', used.inUse / fresh.inUse),
    ]
  },
}

async function startLoaded(bench: Workbench, store: string, live: LiveSet): Promise<Service> {
  const seconds = String(SNAPSHOT_SECONDS)
  const settings = { OQS_SNAPSHOT_MAX_AGE_SECONDS: seconds, OQS_PAGE_TOKEN_TTL_SECONDS: seconds }
  const service = await bench.startService({ store, settings })
  showProgress(`loading ${count(live.size)} objects`)
  await define(service, soakDefinition(false))
  const labels = Array.from({ length: LABELS }, (_, number) => ({ put: makeLabel(number) }))
  await writeChanges(service, LABEL_PATH, labels)
  const args = ['import', '-', '--format', 'ndjson', ...PART_TYPE, '--replace']
  await bench.runOqs(
    service,
    args,
    live.objects().map((part) => `${JSON.stringify(part)}\n`),
  )
  return service
}

/** Runs until the time is over; then stops, and waits until the last snapshot has expired. */
async function churn(
  service: Service,
  live: LiveSet,
  minutes: number,
  sample: (minute: number) => Promise<void>,
): Promise<void> {
  using load = await Churn.open(service, live)
  const started = performance.now()
  const minute = () => (performance.now() - started) / 60_000
  let hasFailed = false
  const isOver = () => hasFailed || minute() >= minutes || hasEnded(service.child)
  const work = [
    repeat(WRITES_PER_SECOND, isOver, () => load.write()),
    repeat(READS_PER_SECOND, isOver, () => load.read()),
    repeat(1 / SAMPLE_SECONDS, isOver, () => sample(minute())),
  ].map((each) =>
    each.catch((error) => {
      hasFailed = true
      throw error
    }),
  )
  await Promise.all(work)
  if (hasEnded(service.child)) throw new Error('The service ended.')
  await load.end()
  const { writes, reads, walks, expired, tokens, definitions } = load.counts
  print(
    `${count(writes)} writes, ${count(reads)} reads, ${count(walks)} snapshot walks (${count(expired)} more expired), ${tokens} API tokens, ${definitions} definitions.`,
  )
  const page = await load.openSnapshot()
  await untilReclaimed(service)
  using connection = await Connection.open(service)
  const { status } = await connection.send(page)
  if (status !== 400) throw new Error(`A page of an expired snapshot has the status ${status}.`)
}

/** Calls a step at most so often per second, until it is over; a slow step delays the next ones. */
async function repeat(
  perSecond: number,
  isOver: () => boolean,
  step: () => Promise<void>,
): Promise<void> {
  const pauseMs = 1000 / perSecond
  while (!isOver()) {
    const started = performance.now()
    await step()
    await sleep(Math.max(0, pauseMs - (performance.now() - started)))
  }
}

/** Waits until maintenance has deleted everything that no snapshot needs. */
async function untilReclaimed(service: Service): Promise<void> {
  const started = performance.now()
  for (;;) {
    const { objectTypes, backgroundWork } = await readStatus(service)
    const { tablesToRemove, reclaiming, rewrites } = backgroundWork
    const kept = objectTypes.reduce((sum, type) => sum + type.version - type.oldestVersion, 0)
    if (kept + tablesToRemove + rewrites.length === 0 && !reclaiming) return
    if (performance.now() - started > SETTLE_MS) {
      throw new Error(`${kept} versions and ${tablesToRemove} tables were not deleted.`)
    }
    showProgress(`waiting until ${kept} versions and ${tablesToRemove} tables are deleted`)
    await sleep(SAMPLE_SECONDS * 1000)
  }
}

/** Returns the growth after the warm-up; of descriptors, between the first and the last quarter. */
function growthOf(samples: readonly Sample[], warmUpMinutes: number) {
  const warm = samples.filter(({ minute }) => minute >= warmUpMinutes)
  const quarter = Math.ceil(warm.length / 4)
  const [first = 0, last = 0] = [warm.slice(0, quarter), warm.slice(-quarter)].map((part) =>
    median(part.map(({ descriptors }) => descriptors)),
  )
  const megabytesPerMinute = slopeOf(warm.map(({ minute, megabytes }) => [minute, megabytes]))
  return { megabytesPerMinute, descriptors: last - first }
}

/** Returns about ten samples, spread over the run. */
function sampleTable(samples: readonly Sample[]): Table {
  const step = Math.max(1, Math.floor(samples.length / 10))
  const shown = samples.filter((_, at) => at % step === 0 || at === samples.length - 1)
  return [
    ['minute', 'private MB', 'heap MB', 'descriptors', 'stored MB', 'WAL MB'],
    ...shown.map((sample) => [
      count(sample.minute, 1),
      count(sample.megabytes),
      count(sample.heapMegabytes),
      count(sample.descriptors),
      count(sample.storedMegabytes, 1),
      count(sample.walMegabytes, 1),
    ]),
  ]
}
