import { NUMBERS, numbers } from './ontologies.ts'
import { sendTo } from './service.ts'

/** The number of objects per batch; the key of an object shows its batch. */
const SIZE = 50
const OBJECTS = '/ontologies/numbers/objects/number'

/** Sends numbered batches, and checks that no acknowledged one is lost by later services. */
export class NumberedBatches {
  readonly acknowledged = new Set<number>()
  #next = 0

  async define(url: string): Promise<void> {
    await sendTo(`${url}/api/admin/v1/ontologies/numbers`, { method: 'PUT', json: NUMBERS })
  }

  /** Sends one batch; returns whether it was acknowledged. Rejects if the connection breaks. */
  async send(url: string): Promise<boolean> {
    const batch = this.#next
    this.#next += 1
    const { status } = await sendTo(`${url}/api/admin/v1${OBJECTS}`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: numbers(SIZE, batch * SIZE)
        .map((object) => JSON.stringify({ put: object }))
        .join('\n'),
    })
    if (status === 200) this.acknowledged.add(batch)
    return status === 200
  }

  /** Sends batches until the service is gone; awaits `afterEach` after each acknowledged one. */
  async sendUntilGone(url: string, afterEach: () => Promise<void> = async () => {}): Promise<void> {
    for (;;) {
      const isAcknowledged = await this.send(url).catch(() => 'gone' as const)
      if (isAcknowledged === 'gone') return
      if (isAcknowledged) await afterEach()
    }
  }

  /** Lists the lost and partial batches of a service. */
  async faults(url: string): Promise<string[]> {
    return faultsIn(await countStored(url), this.acknowledged)
  }
}

/** Lists acknowledged batches that are lost, and batches that are stored only partly. */
export function faultsIn(
  stored: ReadonlyMap<number, number>,
  acknowledged: ReadonlySet<number>,
): string[] {
  const lost = [...acknowledged].filter((batch) => !stored.has(batch))
  const partial = [...stored].filter(([, count]) => count !== SIZE)
  return [
    ...lost.map((batch) => `batch ${batch} is lost`),
    ...partial.map(([batch, count]) => `batch ${batch} has ${count} objects`),
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
    const { body } = await sendTo(`${url}/api/v1${OBJECTS}?pageSize=1000${token}`)
    for (const record of body.data) keys.push(record.properties.n)
    token = body.nextPageToken === undefined ? '' : `&pageToken=${body.nextPageToken}`
  } while (token !== '')
  return countByBatch(keys)
}
