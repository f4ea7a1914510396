import { expect, it } from 'vitest'
import {
  createClient,
  createPkce,
  exchange,
  redirectOf,
  refresh,
  signIn,
} from '../support/oauth.ts'
import { startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const ROUNDS = 20

it('a code that several use at once, on two nodes, works for at most one and ends its grant', async () => {
  await using store = await createTestStore()
  await using service = await startService({ store: store.name })
  await using other = await startService({ store: store.name })
  const client = await createClient(service, { isPublic: true })
  const token = await service.createToken({ name: 'person' })
  const pkce = createPkce()
  const scope = 'offline_access api:read-data'
  for (let round = 0; round < ROUNDS; round += 1) {
    const code = redirectOf(await signIn(service, { client, token, pkce, scope }))['code'] ?? ''
    const nodes = [service, other, service, other]
    const answers = await Promise.all(nodes.map((node) => exchange(node, { client, code, pkce })))
    const issued = answers.filter(({ status }) => status === 200)
    expect(issued.length).toBeLessThanOrEqual(1)
    for (const { body } of issued) {
      const { status } = await other.send('/api/admin/v1/me', { token: body.access_token })
      expect([round, status]).toEqual([round, 401])
      const refreshed = await refresh(service, client, body.refresh_token)
      expect([round, refreshed.body.error]).toEqual([round, 'invalid_grant'])
    }
    const late = await exchange(other, { client, code, pkce })
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
  }
})
