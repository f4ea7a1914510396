import { expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo, type TestResponse } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const KILLS = Number(process.env['OQS_TEST_KILLS'] ?? 2)
const ADMIN = '/api/admin/v1/ontologies/numbers'

/** Creates one object. Without its key, a repeated request would be refused with 412. */
function create(url: string, n: number): Promise<TestResponse> {
  return sendTo(`${url}${ADMIN}/objects/number/${n}`, {
    method: 'PUT',
    json: { n },
    headers: { 'if-none-match': '*', 'idempotency-key': `create-${n}` },
  })
}

it('a request with an idempotency key is applied once, however often the service is killed', async () => {
  await using store = await createTestStore()
  const settings = {
    OQS_PORT: '0',
    OQS_STORE: store.name,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'silent',
  }
  const versions: number[] = []
  for (let kill = 0; kill <= KILLS; kill += 1) {
    await using oqs = startOqs(['serve'], settings)
    const url = await waitForLine(oqs, 'listening on ')
    if (kill === 0) await sendTo(`${url}${ADMIN}`, { method: 'PUT', json: NUMBERS })
    // The last service only completes what the others left behind.
    const last = versions.length
    if (kill < KILLS) setTimeout(() => oqs.child.kill('SIGKILL'), 30 + ((kill * 37) % 90)).unref()
    for (;;) {
      const response = await create(url, versions.length).catch(() => undefined)
      if (response === undefined) break
      expect([versions.length, response.status]).toEqual([versions.length, 201])
      versions.push(response.body.version)
      if (kill === KILLS && versions.length > last) break
    }
    if (kill < KILLS) continue
    // Each request made exactly one version, and still gets the response of the first time.
    expect(versions).toEqual(versions.map((_, index) => index + 1))
    for (const [n, version] of versions.entries()) {
      const again = await create(url, n)
      expect([again.status, again.body.version]).toEqual([201, version])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    }
    const { body } = await sendTo(`${url}/api/v1/ontologies/numbers/objects/number?pageSize=1`)
    expect(body.totalCount).toBe(String(versions.length))
  }
})
