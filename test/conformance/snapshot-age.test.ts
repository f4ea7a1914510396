import { describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/maintenance.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { requestPage, valuesOf, type Walk } from '../support/walk.ts'

const SECONDS = 1000
const MAX_AGE_SECONDS = 30
const LIVES = { snapshotMaxAgeSeconds: MAX_AGE_SECONDS, pageTokenTtlSeconds: MAX_AGE_SECONDS }
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: String(MAX_AGE_SECONDS),
  OQS_PAGE_TOKEN_TTL_SECONDS: String(MAX_AGE_SECONDS),
}
const BATCHES = '/api/admin/v1/ontologies/numbers/objects/number'
const snapshot: Walk = {
  revision: '1.0',
  ontology: 'numbers',
  objectType: 'number',
  pageSize: 5,
  snapshot: true,
}
const ORDERED = '/api/v1/ontologies/numbers/objects/number?pageSize=5&orderBy=properties.text:asc'

/** Twenty objects whose order by text is their key order. */
const OBJECTS = numbers(20, 10).map(({ n }) => ({ n, text: `t${n}` }))

async function startFilled(): Promise<Service> {
  const service = await startService({ settings: SETTINGS })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', OBJECTS)
  return service
}

/** Runs the maintenance that a service runs every minute. */
function maintain(service: Service): Promise<number> {
  return service.store.reclaim(retentionOf(LIVES, () => service.clock.now))
}

/** Sends all lines of a batch but the last. Returns a function that sends the last line. */
async function sendSlowly(
  service: Service,
  lines: readonly unknown[],
): Promise<() => Promise<Response>> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const answer = fetch(service.url + BATCHES, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const sender = writable.getWriter()
  const send = (line: unknown) => sender.write(Buffer.from(`${JSON.stringify(line)}\n`))
  for (const line of lines.slice(0, -1)) await send(line)
  // The service reads the batch by the time it answers a later request.
  await service.send(ORDERED)
  return async () => {
    await send(lines.at(-1))
    await sender.close()
    return answer
  }
}

describe('the age of a snapshot', () => {
  it('[4.5.2] does not depend on the duration of the batch that superseded it', async () => {
    await using service = await startFilled()
    const finish = await sendSlowly(
      service,
      OBJECTS.map(({ n }) => ({ delete: n })),
    )
    service.clock.now += 190 * SECONDS
    await maintain(service)
    const { body: ofSnapshot } = await requestPage(service, snapshot)
    const { body: ofOrder } = await service.send(ORDERED)
    const exported = await service.send(`${BATCHES}/export`)
    service.clock.now += 10 * SECONDS
    expect((await finish()).status).toBe(200)
    await maintain(service)

    const next = await requestPage(service, snapshot, ofSnapshot.nextPageToken)
    expect(valuesOf([next.body], 'n')).toEqual([15, 16, 17, 18, 19])
    // The walk without snapshot continues after a row that is no longer current, and finds nothing.
    const ended = await service.send(`${ORDERED}&pageToken=${ofOrder.nextPageToken}`)
    expect([ended.status, ended.body.data]).toEqual([200, []])
    const version = exported.headers.get('oqs-version')
    const rest = await service.send(`${BATCHES}/export?version=${version}&after=27&received=18`)
    expect(rest.text.split('\n').slice(0, 2)).toEqual([
      '{"n":28,"text":"t28"}',
      '{"n":29,"text":"t29"}',
    ])
  })

  it('[4.5.2] is exact to the millisecond; then the token expires and the data is reclaimed', async () => {
    await using service = await startFilled()
    const { body: first } = await requestPage(service, snapshot)
    await service.put('numbers', 'number', [{ n: 15, text: 'changed' }])
    await maintain(service)
    service.clock.now += MAX_AGE_SECONDS * SECONDS - 1
    await maintain(service)
    const inTime = await requestPage(service, snapshot, first.nextPageToken)
    expect(inTime.body.data[0].properties).toEqual({ n: 15, text: 't15' })
    service.clock.now += 1
    await maintain(service)
    const late = await requestPage(service, snapshot, first.nextPageToken)
    expect(late.body.parameters.reason).toBe('expired')
    service.clock.now += 60 * SECONDS
    expect(await maintain(service)).toBe(1)
  })
})
