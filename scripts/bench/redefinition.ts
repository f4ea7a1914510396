/** Readers while the definition of a large type changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/command.ts'
import { type Call, Connection } from '../measure/connection.ts'
import { getObject, listPages } from '../measure/pages.ts'
import { DEFINITION, loadParts } from '../measure/parts.ts'
import { atMost, count, quantile, showProgress, toMarkdown } from '../measure/report.ts'
import { NO_CACHE, type Service } from '../measure/workbench.ts'

const QUIET_MS = 20_000
/** Readers that each send a request, wait for the response, and pause. */
const READERS = 4
const PAUSE_MS = 20
/** How much longer the slowest responses may take while the type is rewritten. */
const P99_LIMIT = 2
const FIRST_PAGE = listPages()(100)
const APPLY = ['ontology', 'apply', '-', '--wait']
const WIDER = {
  ...DEFINITION,
  objectTypes: DEFINITION.objectTypes.map((type) => ({
    ...type,
    properties: { ...type.properties, revision: { type: 'long' } },
  })),
}
const BY_TIME = listPages({ orderBy: 'properties.changedAt:desc' })(100)

export const redefinition: Part<{ readonly objects: number }> = {
  about: `Widens a property of all objects, from integer to long, while four readers request objects and
pages. About 15 minutes and 5 GB.`,
  full: { objects: 1_000_000 },
  usualStores: ['SQLite'],
  async run({ bench, numbers: { objects }, store: storeName, print }) {
    const service = await bench.startService({ settings: NO_CACHE })
    await loadParts(bench, service, objects)
    showProgress('measuring the quiet service')
    const quiet = await readDuring(service, sleep(QUIET_MS))
    showProgress('changing the definition')
    const change = bench.measureCommand(service, APPLY, [JSON.stringify(WIDER)])
    const during = await readDuring(service, change)
    const { seconds } = await change
    const row = (name: string, times: readonly number[]) => [
      name,
      count(times.length),
      ...[0.5, 0.99, 1].map((share) => count(quantile(times, share), 1)),
    ]
    const header = ['Readers', 'requests', 'p50 ms', 'p99 ms', 'max ms']
    print(toMarkdown([header, row('quiet', quiet), row('while it runs', during)]))
    print(`${storeName}, ${count(objects)} objects: changed after ${count(seconds)} s.`)
    const ratio = quantile(during, 0.99) / quantile(quiet, 0.99)
    return [atMost(P99_LIMIT, `${storeName}: p99 while the type is rewritten / quiet`, ratio)]
  },
}

/** Reads until the work ends, and returns the times of all requests in milliseconds. */
async function readDuring(service: Service, work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  let isDone = false
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    using connection = await Connection.open(service)
    for (let n = reader; !isDone; n += 1) {
      const sent = performance.now()
      await connection.drain(requestOf(n))
      times.push(performance.now() - sent)
      await sleep(PAUSE_MS)
    }
  })
  const allReaders = Promise.all(readers)
  // A reader ends early only if a request fails.
  await Promise.race([work, allReaders])
  isDone = true
  await allReaders
  return times
}

/** By key, in key order, and in the order of an index. */
function requestOf(n: number): Call {
  return [getObject((n * 7919) % 10_000), FIRST_PAGE, BY_TIME][n % 3] ?? FIRST_PAGE
}
