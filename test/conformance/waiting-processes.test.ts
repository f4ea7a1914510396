import { expect, inject, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const BATCHES = '/api/admin/v1/ontologies/numbers/objects/number'
const CHANGES = '/api/v1/ontologies/numbers/changes/number'

/** On SQLite the workers of one service; on PostgreSQL two nodes. */
const [PROCESSES, WORKERS] = inject('store') === 'sqlite' ? [1, '2'] : [2, '1']

it('requests wait for what other processes write', async () => {
  await using store = await createTestStore()
  const settings = {
    OQS_PORT: '0',
    OQS_STORE: store.name,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_WORKERS: WORKERS,
    ...NO_CALLER_LIMITS,
  }
  await using parts = new AsyncDisposableStack()
  const urls: string[] = []
  for (let index = 0; index < PROCESSES; index += 1) {
    const service = parts.use(startOqs(['serve'], settings))
    urls.push(await waitForLine(service, 'listening on '))
  }
  const url = (turn: number) => urls[turn % urls.length] ?? ''
  const definition = `${url(0)}/api/admin/v1/ontologies/numbers`
  expect((await sendTo(definition, { method: 'PUT', json: NUMBERS })).status).toBe(200)

  for (let round = 0; round < 3; round += 1) {
    // Connections are spread over the workers.
    const followers = Array.from({ length: 8 }, async (_, index) => {
      const { body } = await sendTo(`${url(index)}${CHANGES}?since=now`)
      const since = body.nextChangesToken
      return async () => (await sendTo(`${url(index)}${CHANGES}?since=${since}&wait=60`)).body.data
    })
    const waiting = (await Promise.all(followers)).map((follow) => follow())
    // By then, all of them wait.
    await Promise.all(urls.map((one) => sendTo(`${one}${CHANGES}?since=now&wait=1`)))
    const body = JSON.stringify({ put: { n: round, text: `t${round}` } })
    const headers = { 'content-type': 'application/x-ndjson' }
    expect((await sendTo(url(round) + BATCHES, { method: 'POST', headers, body })).status).toBe(200)
    // A request that nothing wakes is answered after a minute, without changes.
    for (const changes of await Promise.all(waiting)) expect(changes).toHaveLength(1)
  }
})
