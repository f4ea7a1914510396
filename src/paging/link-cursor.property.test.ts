import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../test/support/fc-options.ts'
import { PAGE_TOKEN_MAX_LENGTH, PRIMARY_KEY_MAX_BYTES } from '../contract/limits.ts'
import { decodeLinkCursor, encodeLinkCursor } from './link-cursor.ts'
import { sealPageToken } from './page-token.ts'
import { SALT_BYTES, TokenKeys } from './token-keys.ts'

it('returns any cursor of a walk over links as it was encoded', () => {
  const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
  const inside = fc.record({
    side: fc.nat({ max: 99 }),
    linked: fc.option(key, { nil: undefined }),
  })
  const cursors = fc.record({ source: key, inside: fc.option(inside, { nil: undefined }) })
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(decodeLinkCursor(encodeLinkCursor(cursor))).toEqual(cursor)
    }),
    fcOptions(500),
  )
})

it('has room for two of the longest keys in a page token', () => {
  const longest = 'k'.repeat(PRIMARY_KEY_MAX_BYTES)
  const after = encodeLinkCursor({ source: longest, inside: { side: 99, linked: longest } })
  const binding = { request: Buffer.alloc(16), caller: Buffer.alloc(16) }
  const listedTypes = Array.from({ length: 100 }, (_, type) => type)
  const walk = {
    served: 0,
    totalCount: undefined,
    snapshot: undefined,
    startedAtMs: 1,
    listedTypes,
  }
  const keys = new TokenKeys([Buffer.alloc(32, 1)], Buffer.alloc(SALT_BYTES))
  const token = sealPageToken({ ...walk, after }, binding, 1, keys)
  expect(token.length).toBeLessThanOrEqual(PAGE_TOKEN_MAX_LENGTH)
})
