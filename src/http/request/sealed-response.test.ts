import { describe, expect, it } from 'vitest'
import type { KeyedRequest } from './idempotency-key.ts'
import { openNote, sealNote } from './sealed-response.ts'

const RESPONSE = '{"id":"t1","token":"oqs_secret"}'

function requestOf(token: string): KeyedRequest {
  const headers = { authorization: `Bearer ${token}` }
  return { method: 'POST', url: '/tokens', headers, caller: {} as KeyedRequest['caller'] }
}

describe('a sealed note', () => {
  it('is opened by the bearer token that sealed it', async () => {
    const note = await sealNote(requestOf('one'), RESPONSE, 't1')
    expect(await openNote(requestOf('one'), note)).toBe(RESPONSE)
  })

  it('shows the id, and no part of the response', async () => {
    const note = await sealNote(requestOf('one'), RESPONSE, 't1')
    const { created, sealed } = JSON.parse(note) as { created: string; sealed: string }
    expect(created).toBe('t1')
    expect(Buffer.from(sealed, 'base64').includes('token')).toBe(false)
    expect(await sealNote(requestOf('one'), RESPONSE, 't1')).not.toBe(note)
  })

  it('names what was created to any other bearer token', async () => {
    const note = await sealNote(requestOf('one'), RESPONSE, 't1')
    await expect(openNote(requestOf('two'), note)).rejects.toMatchObject({
      errorName: 'SecretNotRepeatable',
      parameters: { parameter: 'Idempotency-Key', created: 't1' },
    })
  })
})
