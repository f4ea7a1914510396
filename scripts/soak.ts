/** Runs the service under steady churn and checks that nothing grows; see the help. */
import { setTimeout as sleep } from 'node:timers/promises'
import { FLAG, runScript, type StoreName, TEXT, wholeNumber } from './measure/command-line.ts'
import { Connection } from './measure/connection.ts'
import { judge, type Mark } from './measure/marks.ts'
import type { PartProperties } from './measure/parts.ts'
import { print, showProgress } from './measure/progress.ts'
import { hasEnded } from './measure/server.ts'
import {
  define,
  PART_TYPE,
  runCommand,
  type Service,
  startService,
  writeChanges,
} from './measure/service.ts'
import { count, toMarkdown } from './measure/table.ts'
import { openStores, openWorkspace, type Workspace } from './measure/workspace.ts'
import { Churn, LABEL_PATH, repeat, SNAPSHOT_SECONDS } from './soak/churn.ts'
import { LABELS, LiveSet, makeLabel, soakDefinition } from './soak/live-set.ts'
import { growthOf, readStatus, type Sample, sampleTable, takeSample } from './soak/samples.ts'
import { checkObjects, readStoredBytes, type StoredBytes } from './soak/stored-objects.ts'

const MINUTES = 30
const OBJECTS = 50_000
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

const HELP = `Usage: npm run soak -- [options]

Runs one service while ${WRITES_PER_SECOND} writes a second update, insert and delete objects, and up to ${READS_PER_SECOND} reads a second
walk snapshots, search, count and fetch; API tokens are created and revoked, and a definition
changes. The number of objects stays the same. Then the writes stop, and the last snapshot expires.

Fails when the stored objects are not exactly those that were written. Prints the growth of private
memory after a third of the run, the growth of open descriptors, and how much larger the store is
than a new one with the same objects.

Takes ${MINUTES} minutes, 5 more to expire, and 500 MB in TMPDIR, which are removed afterwards. The exit
status is 0, 1 when a mark is missed, or 2 when the run fails.

  --minutes N       duration of the churn (${MINUTES})
  --objects N       number of objects (${count(OBJECTS)})
  --postgres        PostgreSQL instead of SQLite
  --help            this text`

await runScript({
  name: 'soak',
  help: HELP,
  options: { minutes: TEXT, objects: TEXT, postgres: FLAG },
  async run({ minutes, objects, postgres }) {
    return judge(
      await soak(postgres ? 'PostgreSQL' : 'SQLite', {
        minutes: wholeNumber('--minutes', minutes, { min: 1, usual: MINUTES }),
        objects: wholeNumber('--objects', objects, { min: 1000, usual: OBJECTS }),
      }),
    )
  },
})

interface SoakOptions {
  readonly minutes: number
  readonly objects: number
}

async function soak(name: StoreName, { minutes, objects }: SoakOptions): Promise<readonly Mark[]> {
  using workspace = openWorkspace()
  await using stores = await openStores(name, workspace)
  const live = new LiveSet(objects)
  const store = await stores.create('soak')
  const samples: Sample[] = []
  let used: StoredBytes
  {
    await using service = await start(workspace, store)
    await load(workspace, service, live)
    await churn(service, live, minutes, async (minute) => {
      const sample = await takeSample(service, store, minute)
      samples.push(sample)
      const { megabytes, descriptors } = sample
      showProgress(`minute ${count(minute, 1)}: ${megabytes} MB, ${descriptors} descriptors`)
    })
    showProgress('comparing all objects')
    await checkObjects(service, live)
    used = await readStoredBytes(service, store)
  }
  const fresh = await loadFresh(workspace, await stores.create('fresh'), live)
  print(`\n## ${name}, ${count(objects)} objects, ${minutes} minutes\n`)
  print(toMarkdown(sampleTable(samples)))
  const megabytes = (bytes: number) => `${count(bytes / 2 ** 20, 1)} MB`
  print(
    `\nStored after the last snapshot expired: ${megabytes(used.total)}, ${megabytes(used.inUse)} of it in use. A new store with the same objects: ${megabytes(fresh.inUse)}.`,
  )
  const growth = growthOf(samples, WARM_UP * minutes)
  const storage = [
    ['storage / new store', used.total / fresh.inUse],
    ['storage in use / new store', used.inUse / fresh.inUse],
  ] as const
  return [
    {
      name: 'growth of private memory, MB a minute',
      value: growth.megabytesPerMinute,
      bound: '≤',
      limit: MEMORY_LIMIT,
    },
    {
      name: 'growth of descriptors',
      value: growth.descriptors,
      bound: '≤',
      limit: DESCRIPTOR_LIMIT,
    },
    ...storage.map(
      ([mark, value]): Mark => ({
        name: mark,
        value,
        bound: '≤',
        limit: STORAGE_LIMIT,
      }),
    ),
  ]
}

async function start(workspace: Workspace, store: string): Promise<Service> {
  const seconds = String(SNAPSHOT_SECONDS)
  const settings = { OQS_SNAPSHOT_MAX_AGE_SECONDS: seconds, OQS_PAGE_TOKEN_TTL_SECONDS: seconds }
  return startService(workspace, { store, settings })
}

async function load(workspace: Workspace, service: Service, live: LiveSet): Promise<void> {
  showProgress(`loading ${count(live.size)} objects`)
  await define(service, soakDefinition(false))
  const labels = Array.from({ length: LABELS }, (_, number) => ({ put: makeLabel(number) }))
  await writeChanges(service, LABEL_PATH, labels)
  const args = ['import', '-', '--format', 'ndjson', ...PART_TYPE, '--replace']
  await runCommand(workspace, service, args, linesOf(live.objects()))
}

function* linesOf(parts: Iterable<PartProperties>): Generator<string> {
  for (const part of parts) yield `${JSON.stringify(part)}\n`
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

async function loadFresh(workspace: Workspace, store: string, live: LiveSet): Promise<StoredBytes> {
  await using service = await start(workspace, store)
  await load(workspace, service, live)
  return await readStoredBytes(service, store)
}
