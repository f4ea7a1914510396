import { describe, expect, it, vi } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

describe('the service', () => {
  it('sends a page without parsing stored objects', async () => {
    await using service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(1000))
    const url = `${service.url}/api/v1/ontologies/numbers/objects/number`
    const ask = async () => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      return (await response.arrayBuffer()).byteLength
    }
    await ask()
    const parse = vi.spyOn(JSON, 'parse')
    const stringify = vi.spyOn(JSON, 'stringify')
    expect(await ask()).toBeGreaterThan(50_000)
    expect(parse).not.toHaveBeenCalled()
    const longest = stringify.mock.results.map(({ value }) => String(value).length)
    expect(Math.max(0, ...longest)).toBeLessThan(1000)
    parse.mockRestore()
    stringify.mockRestore()
  })

  it('is not ready, and rejects batches, when its store is lost', async () => {
    await using place = await createTestStore()
    await using service = await startService({ store: place.name })
    await service.apply(NUMBERS)
    expect((await service.send('/readyz', { token: null })).status).toBe(200)
    await place.dropData()
    const ready = await service.send('/readyz', { token: null })
    const write = await service.put('numbers', 'number', numbers(1))
    for (const answer of [ready, write]) {
      expect(answer.status).toBe(503)
      expect(answer.body.errorName).toBe('ServiceUnavailable')
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect((await service.send('/healthz', { token: null })).status).toBe(200)
  })
})
