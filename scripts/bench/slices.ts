/** Several readers that copy one snapshot in slices, while others write. */
import type { Part } from '../measure/command.ts'
import { readBody } from '../measure/connection.ts'
import { listPages, type Pages, readWalk, walkPages } from '../measure/pages.ts'
import {
  loadParts,
  makePart,
  OBJECT_TYPE,
  ONTOLOGY,
  PART_OBJECTS,
  partNumber,
  writeChanges,
} from '../measure/parts.ts'
import { atLeast, count, median, none, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

const V2 = `/api/v2/ontologies/${ONTOLOGY}`
const READERS = 4
const ROUNDS = 3
/** How many objects a batch updates, deletes and adds, each. */
const WRITTEN = 50

export const slices: Part<{ readonly objects: number; readonly workers: number }> = {
  about: `Copies one snapshot with ${READERS} readers, a slice each, and with one reader, alternately, while another
client updates, deletes and adds objects. The slices must have every object of the snapshot once.`,
  full: { objects: 1_000_000, workers: 2 },
  quick: { objects: 20_000, workers: 2 },
  async run({ store, bench, print, numbers: { objects, workers } }) {
    const service = await bench.startService({ settings: { OQS_WORKERS: String(workers) } })
    await loadParts(bench, service, objects)
    const keys = { select: 'partNumber', excludeRid: 'true' }
    const tokens = await sliceTokens(service, keys)
    const writer = writeMeanwhile(service, objects)
    showProgress('checking the slices')
    const found = await Promise.all(tokens.map((token) => keysOf(service, pagesOf(keys), token)))
    const seconds = { one: [] as number[], several: [] as number[] }
    for (let round = 0; round < ROUNDS; round += 1) {
      showProgress(`round ${round + 1} of ${ROUNDS}`)
      seconds.one.push(await secondsOf(() => walk(service)))
      seconds.several.push(
        await secondsOf(async () => {
          const own = await sliceTokens(service, {})
          await Promise.all(own.map((token) => walk(service, token)))
        }),
      )
    }
    const batches = await writer.stop()
    const union = new Set(found.flat())
    const sum = found.reduce((total, { length }) => total + length, 0)
    const missing = Array.from({ length: objects }, (_, n) => partNumber(n)).filter(
      (key) => !union.has(key),
    )
    const [one, several] = [median(seconds.one), median(seconds.several)]
    print(
      `## ${store}, ${count(objects)} objects, ${workers} workers, ${count(batches)} batches meanwhile`,
    )
    const rows = [
      ['1', one.toFixed(1), count(objects / one)],
      [String(READERS), several.toFixed(1), count(objects / several)],
    ]
    print(toMarkdown([['Readers', 'seconds', 'objects/s'], ...rows]))
    return [
      none(`${store}: objects that no slice has`, missing.length),
      none(`${store}: objects in two slices, or of another moment`, sum - objects + missing.length),
      atLeast(1.5, `${store}: one reader / ${READERS} readers, seconds`, one / several),
    ]
  },
}

function pagesOf(parameters: Readonly<Record<string, string>>): Pages {
  return listPages({ ...parameters, snapshot: 'true' }, `${V2}/objects/${OBJECT_TYPE}`)
}

async function sliceTokens(
  service: Service,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const query = new URLSearchParams({ ...parameters, count: String(READERS) })
  const path = `${V2}/slices/${OBJECT_TYPE}?${query}`
  return JSON.parse((await readBody(service, { method: 'POST', path })).toString()).pageTokens
}

async function keysOf(service: Service, pages: Pages, token: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const page of readWalk(service, pages, token)) {
    for (const { __primaryKey } of JSON.parse(page.toString()).data) keys.push(__primaryKey)
  }
  return keys
}

async function walk(service: Service, pageToken?: string): Promise<void> {
  await walkPages(service, pagesOf({}), { pageToken })
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

/** Writes batches until it is stopped, and returns their number then. */
function writeMeanwhile(service: Service, objects: number): { stop(): Promise<number> } {
  let isStopped = false
  const write = async () => {
    let batches = 0
    for (; !isStopped; batches += 1) {
      const changes = Array.from({ length: WRITTEN }, (_, n) => {
        const at = (batches * WRITTEN + n) * 7919
        return [
          { put: makePart((at + 1) % objects, batches + 1) },
          { delete: partNumber((at + 2) % objects) },
          { put: makePart(objects + (at % objects), 0) },
        ]
      })
      await writeChanges(service, PART_OBJECTS, changes.flat())
    }
    return batches
  }
  const written = write()
  return {
    stop() {
      isStopped = true
      return written
    },
  }
}
