import { NUMBERS, numbers } from './ontologies.ts'
import { askUrl } from './service.ts'

/** Objects of each batch; the number of an object tells which batch it belongs to. */
const SIZE = 50
const OBJECTS = '/ontologies/numbers/objects/number'

/**
 * Numbered batches that are sent to services one after the other, and those that were acknowledged:
 * what every later service on the same store must still have.
 */
export class NumberedBatches {
  readonly acknowledged = new Set<number>()
  #next = 0

  async define(url: string): Promise<void> {
    await askUrl(`${url}/api/admin/v1/ontologies/numbers`, { method: 'PUT', json: NUMBERS })
  }

  /** Sends one batch; returns whether it was acknowledged. Rejects if the connection breaks. */
  async send(url: string): Promise<boolean> {
    const batch = this.#next
    this.#next += 1
    const { status } = await askUrl(`${url}/api/admin/v1${OBJECTS}`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: numbers(SIZE, batch * SIZE)
        .map((object) => JSON.stringify({ put: object }))
        .join('\n'),
    })
    if (status === 200) this.acknowledged.add(batch)
    return status === 200
  }

  /** Sends batches until the service is gone; waits for `afterEach` after each that it acknowledged. */
  async sendUntilGone(url: string, afterEach: () => Promise<void> = async () => {}): Promise<void> {
    for (;;) {
      const answer = await this.send(url).catch(() => 'gone' as const)
      if (answer === 'gone') return
      if (answer) await afterEach()
    }
  }

  /** Lists what is wrong with the objects of a service: batches that are lost or cut. */
  async faults(url: string): Promise<string[]> {
    return faultsIn(await countStored(url), this.acknowledged)
  }
}

/** Lists acknowledged batches that are lost, and batches that are stored in part. */
export function faultsIn(
  stored: ReadonlyMap<number, number>,
  acknowledged: ReadonlySet<number>,
): string[] {
  const lost = [...acknowledged].filter((batch) => !stored.has(batch))
  const cut = [...stored].filter(([, count]) => count !== SIZE)
  return [
    ...lost.map((batch) => `batch ${batch} is lost`),
    ...cut.map(([batch, count]) => `batch ${batch} has ${count} objects`),
  ]
}

/** Counts the objects of each batch. */
export function countByBatch(keys: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const key of keys) {
    const batch = Math.floor(key / SIZE)
    counts.set(batch, (counts.get(batch) ?? 0) + 1)
  }
  return counts
}

async function countStored(url: string): Promise<Map<number, number>> {
  const keys: number[] = []
  let token = ''
  do {
    const { body } = await askUrl(`${url}/api/v1${OBJECTS}?pageSize=1000${token}`)
    for (const record of body.data) keys.push(record.properties.n)
    token = body.nextPageToken === undefined ? '' : `&pageToken=${body.nextPageToken}`
  } while (token !== '')
  return countByBatch(keys)
}
