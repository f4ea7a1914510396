import { describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/housekeeping.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { askPage, valuesOf, type Walk } from '../support/walk.ts'

const SECONDS = 1000
const MAX_AGE_SECONDS = 30
const LIVES = { snapshotMaxAgeSeconds: MAX_AGE_SECONDS, pageTokenTtlSeconds: MAX_AGE_SECONDS }
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: String(MAX_AGE_SECONDS),
  OQS_PAGE_TOKEN_TTL_SECONDS: String(MAX_AGE_SECONDS),
}
const BATCHES = '/api/admin/v1/ontologies/numbers/objects/number'
const walk: Walk = {
  revision: '1.0',
  ontology: 'numbers',
  objectType: 'number',
  pageSize: 5,
  snapshot: true,
}

function maintain(service: Service): Promise<number> {
  return service.store.reclaim(retentionOf(LIVES, () => service.clock.now))
}

/** Sends a batch whose last line is sent only when the returned function is called. */
async function sendSlowly(
  service: Service,
  lines: readonly object[],
): Promise<() => Promise<Response>> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const answer = fetch(service.url + BATCHES, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/x-ndjson',
    },
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const sender = writable.getWriter()
  const send = (line: object) => sender.write(Buffer.from(`${JSON.stringify({ put: line })}\n`))
  for (const line of lines.slice(0, -1)) await send(line)
  return async () => {
    await send(lines.at(-1) ?? {})
    await sender.close()
    return answer
  }
}

describe('the age of a snapshot', () => {
  it('[4.5.2] does not depend on how long the batch took that superseded it', async () => {
    await using service = await startService({ settings: SETTINGS })
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(20))

    const finish = await sendSlowly(service, numbers(20, 100))
    // Another request: the service has begun to read the batch when it is answered.
    await askPage(service, walk)
    service.clock.now += 190 * SECONDS
    const { body: first } = await askPage(service, walk)
    service.clock.now += 10 * SECONDS
    const answer = await finish()
    expect(answer.status).toBe(200)
    await maintain(service)

    const second = await askPage(service, walk, first.nextPageToken)
    expect(second.body.parameters?.reason).toBeUndefined()
    expect(valuesOf([second.body], 'n')).toEqual([5, 6, 7, 8, 9])
  })
})
