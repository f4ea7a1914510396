/** Keeps the service under a steady load, and checks that nothing grows. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../test/simulation/random.ts'
import { DEFINITION, ONTOLOGY, TYPE } from '../../test/support/kills/entries.ts'
import { loadEntries } from '../../test/support/kills/killed-service.ts'
import { LoadedService } from '../../test/support/kills/loaded-service.ts'
import type { Part } from '../measure/command.ts'
import { readBody, sendOnce, type Target } from '../measure/connection.ts'
import { findToken, listPages, searchPages } from '../measure/pages.ts'
import { administer, writeChanges } from '../measure/parts.ts'
import { countDescriptors, privateMegabytes } from '../measure/processes.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

/** Six writers and three walkers: 8 writes and 40 pages a second. */
const PAUSES = { writeMs: 750, walkMs: 75 }
/** Enough garbage for several collections in each third of the run. */
const READ_PAUSE_MS = 25
const ROUND_MS = 10_000
/** More than the snapshot age, the margin of maintenance, and two of its intervals. */
const SETTLE_MS = 600_000
/** Short, so that what expires is deleted during the run. */
const SETTINGS = { OQS_SNAPSHOT_MAX_AGE_SECONDS: '60', OQS_PAGE_TOKEN_TTL_SECONDS: '60' }

const OBJECTS = `/api/v1/ontologies/${ONTOLOGY}/objects/${TYPE}`
const SNAPSHOT = listPages({ snapshot: 'true' }, OBJECTS)
const READS = [
  listPages({ orderBy: 'properties.count:desc' }, OBJECTS)(1000),
  searchPages(
    { type: 'allTerms', field: 'properties.text', value: 'service' },
    `${OBJECTS}/search`,
  )(100),
  { method: 'GET', path: `${OBJECTS}/000000007` },
  {
    method: 'POST',
    path: `${OBJECTS}/aggregate`,
    body: JSON.stringify({
      aggregation: [{ type: 'count' }],
      groupBy: [{ type: 'exact', field: 'properties.kind' }],
    }),
  },
]

type Sample = Awaited<ReturnType<typeof takeSample>>

export const soak: Part<{ readonly minutes: number; readonly objects: number }> = {
  about: `Runs one service under the writers and walkers of the kills, at a steady 8 writes and 40 pages a
second, with searches, counts and lookups, while API tokens are created and revoked, and a definition
changes. Every ten seconds the stored objects must be exactly those that were written. Then the load
ends, and the last snapshot expires. The least memory, descriptors and storage of the last third of the
run must not exceed those of the second third, nor the storage in use at the end that of the start.
35 minutes and 500 MB.`,
  full: { minutes: 30, objects: 20_000 },
  quick: { minutes: 1, objects: 1000 },
  usualStores: ['SQLite'],
  async run({ bench, numbers: { minutes, objects }, store: storeName, print }) {
    const store = await bench.createStore('soak')
    const service = await bench.startService({ store, settings: SETTINGS })
    showProgress(`loading ${count(objects)} objects`)
    await loadEntries(service.url.origin, objects)
    const fresh = await readStoredBytes(service, store)
    const load = new LoadedService(objects, new Random(1), PAUSES)
    const samples = await runRounds(service, load, store, minutes)
    const page = SNAPSHOT(10, findToken(await readBody(service, SNAPSHOT(10))))
    await untilReclaimed(service)
    const { status } = await sendOnce(service, page)
    if (status !== 400) throw new Error(`A page of an expired snapshot has the status ${status}.`)
    const used = await readStoredBytes(service, store)
    const megabytes = (bytes: number) => `${count(bytes / 2 ** 20, 1)} MB`
    print(`## ${storeName}, ${count(objects)} objects, ${minutes} minutes`)
    const { acknowledged, walks } = load.counts
    print(`${count(acknowledged)} writes and ${count(walks)} snapshot walks, all exact.`)
    // About ten samples, spread over the run.
    const step = Math.max(1, Math.floor(samples.length / 10))
    const shown = samples.filter((_, at) => at % step === 0 || at === samples.length - 1)
    const cells = shown.map((sample) => Object.values(sample).map((each) => count(each, 1)))
    print(toMarkdown([Object.keys(samples[0] ?? {}), ...cells]))
    print(
      `Stored after the last snapshot expired: ${megabytes(used.total)}, ${megabytes(used.inUse)} of it in use. Before the load: ${megabytes(fresh.inUse)}.`,
    )
    return [
      atMost(10, 'growth of private memory, MB', growthOf(samples, 'private MB')),
      atMost(1, 'growth of descriptors', growthOf(samples, 'descriptors')),
      atMost(3, 'growth of stored MB', growthOf(samples, 'stored MB')),
      atMost(1.5, 'storage in use / before the load', used.inUse / fresh.inUse),
    ]
  },
}

/** Runs the load in short rounds; compares all written objects after each, and takes a sample. */
async function runRounds(service: Service, load: LoadedService, store: string, minutes: number) {
  const url = service.url.origin
  const started = performance.now()
  const minute = () => (performance.now() - started) / 60_000
  const samples: Sample[] = []
  while (minute() < minutes) {
    const read = async () => {
      const end = performance.now() + ROUND_MS
      for (let n = 0; performance.now() < end; n += 1) {
        await readBody(service, READS[n % READS.length] as (typeof READS)[0])
        await sleep(READ_PAUSE_MS)
      }
      load.expectEnd()
    }
    await Promise.all([load.run(url), read()])
    await load.check(url)
    await changeLabels(service, samples.length % 2 === 0)
    const { id, token } = await administer(service, 'POST', 'tokens', { name: 'soak' })
    const headers = { authorization: `Bearer ${token}` }
    await readBody({ ...service, headers }, SNAPSHOT(10))
    await administer(service, 'DELETE', `tokens/${id}`)
    const sample = await takeSample(service, store, minute())
    samples.push(sample)
    showProgress(`minute ${count(sample.minute, 1)}: ${sample['private MB']} MB`)
  }
  await load.finishWalks(url)
  return samples
}

/** Adds a property with values to a small type, or removes it again. */
async function changeLabels(service: Target, hasNote: boolean): Promise<void> {
  const text = { type: 'string' } as const
  const properties = { id: text, ...(hasNote && { note: text }) }
  const label = { apiName: 'label', primaryKey: 'id', properties }
  const objectTypes = [...DEFINITION.objectTypes, label]
  const path = `ontologies/${ONTOLOGY}?allowDataLoss=true`
  await administer(service, 'PUT', path, { ...DEFINITION, objectTypes })
  const labels = Array.from({ length: 100 }, (_, n) => ({
    put: { id: `L${n}`, ...(hasNote && { note: `note ${n}` }) },
  }))
  await writeChanges(service, `/api/admin/v1/ontologies/${ONTOLOGY}/objects/label`, labels)
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
    await sleep(ROUND_MS)
  }
}

async function takeSample(service: Service, store: string, minute: number) {
  return {
    minute,
    'private MB': privateMegabytes(service.pid),
    descriptors: countDescriptors(service.pid),
    'stored MB': (await readStoredBytes(service, store)).total / 2 ** 20,
  }
}

/** Returns how much the least value of the last third exceeds that of the second third. */
function growthOf(samples: readonly Sample[], name: Exclude<keyof Sample, 'minute'>): number {
  const third = Math.floor(samples.length / 3)
  const least = (part: readonly Sample[]) => Math.min(...part.map((sample) => sample[name]))
  return least(samples.slice(-third)) - least(samples.slice(-2 * third, -third))
}

/** Returns the size of all files of a store, and without the space that it can use again. */
export async function readStoredBytes(service: Target, store: string) {
  const status = await administer(service, 'GET', 'status')
  const bytes = Number(status.store.storedBytes)
  // The WAL of PostgreSQL belongs to the server, which does not tell its free space either.
  if (!store.startsWith('sqlite:')) return { total: bytes, inUse: bytes }
  const file = store.slice('sqlite:'.length)
  const total = bytes + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  using db = new DatabaseSync(file, { readOnly: true })
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
  const pages = pragma('page_count') - pragma('freelist_count')
  return { total, inUse: pages * pragma('page_size') }
}
