import { expect, it } from 'vitest'
import { openPageToken } from '../../src/paging/page-token.ts'
import { openChangedTokens, sealTokens, type TokenFailure } from './tokens/fuzz-tokens.ts'

/** `npm run fuzz` opens a million, and sends some of them to a service. */
const TOKENS = 10_000

it('no changed page token is accepted', () => {
  const failures: TokenFailure[] = []
  openChangedTokens(sealTokens(), { seed: 1, count: TOKENS }, (failure) => failures.push(failure))
  expect(failures).toEqual([])
})

it('every unchanged one is', () => {
  const { keys, binding, tokens } = sealTokens()
  for (const token of tokens) {
    expect(openPageToken(token, binding, 1_000_000, keys)).toHaveProperty('state')
  }
})
