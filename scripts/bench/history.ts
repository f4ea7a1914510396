/** What it costs to keep the history that followers need: writes, and the size of the store. */
import type { Part } from '../measure/command.ts'
import { DEFINITION, define, makePart, PART_OBJECTS, writeChanges } from '../measure/parts.ts'
import { measureCost } from '../measure/processes.ts'
import { atMost, count, median, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { storedBytes } from './measure-import.ts'

/** The shortest lives that the settings allow; rows are kept for a minute longer. */
const SHORTEST = {
  OQS_CHANGES_MAX_AGE_SECONDS: '60',
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '60',
  OQS_PAGE_TOKEN_TTL_SECONDS: '60',
}
const KEPT = { ...SHORTEST, OQS_CHANGES_MAX_AGE_SECONDS: '86400' }
/** Small enough that rounds of the services alternate within a second. */
const BATCH = 1000

export const history: Part<{ readonly objects: number; readonly minutes: number }> = {
  about: `Updates the same objects again and again, in two services that take turns: one keeps history for 24 hours,
the other as short as it can. Compares the CPU time of the updates, and the size of a store with all
row versions with that of a store with as many objects. Takes as many minutes as given, so that the
other service reclaims meanwhile.`,
  full: { objects: 10_000, minutes: 6 },
  quick: { objects: 2000, minutes: 0 },
  async run({ store, bench, print, numbers: { objects, minutes } }) {
    const start = async (settings: Readonly<Record<string, string>>) => {
      const name = await bench.createStore('history')
      const service = await bench.startService({ store: name, settings })
      await define(service, DEFINITION)
      const pids = [service.pid, bench.databasePid ?? 0]
      return { name, service, pids, micros: [] as number[] }
    }
    const [kept, short] = [await start(KEPT), await start(SHORTEST)]
    const until = performance.now() + 60_000 * minutes
    let versions = 0
    for (let revision = 0; revision < 5 || performance.now() < until; revision += 1) {
      showProgress(`${count(versions)} row versions`)
      for (let first = 0; first < objects; first += BATCH) {
        // The one that goes first has a colder machine.
        for (const side of revision % 2 === 0 ? [kept, short] : [short, kept]) {
          const { cpuMicros } = await measureCost(side.pids, () =>
            writeParts(side.service, first, Math.min(BATCH, objects - first), revision),
          )
          // The first revision creates the objects.
          if (revision > 0) side.micros.push(cpuMicros / BATCH)
        }
      }
      versions += objects
    }
    const distinct = await start(SHORTEST)
    for (let first = 0; first < versions; first += BATCH) {
      await writeParts(distinct.service, first, BATCH, 0)
    }
    const sides = { 'kept for 24 hours': kept, 'as short as possible': short }
    const rows = await Promise.all(
      Object.entries(sides).map(async ([name, { micros, name: of }]) => [
        name,
        count(median(micros), 1),
        count(await storedBytes(of)),
      ]),
    )
    print(`## ${store}, ${count(objects)} objects, ${count(versions)} row versions`)
    print(toMarkdown([['History', 'CPU µs per update', 'bytes'], ...rows]))
    const [ownBytes, distinctBytes] = [
      await storedBytes(kept.name),
      await storedBytes(distinct.name),
    ]
    return [
      atMost(
        1.1,
        `${store}: updates with history / without, CPU`,
        median(kept.micros) / median(short.micros),
      ),
      atMost(1.1, `${store}: row versions kept / as many objects, bytes`, ownBytes / distinctBytes),
    ]
  },
}

async function writeParts(
  service: Service,
  first: number,
  size: number,
  revision: number,
): Promise<void> {
  const changes = Array.from({ length: size }, (_, n) => ({ put: makePart(first + n, revision) }))
  await writeChanges(service, PART_OBJECTS, changes)
}
