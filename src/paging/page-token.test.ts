import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../test/support/fc-options.ts'
import { PAGE_TOKEN_MAX_LENGTH, PRIMARY_KEY_MAX_BYTES } from '../contract/limits.ts'
import {
  OTHER_VERSIONS_MAX,
  openPageToken,
  type PageState,
  peekListedTypes,
  sealPageToken,
  type TokenBinding,
} from './page-token.ts'
import { KEY_ID_BYTES, NONCE_BYTES, SALT_BYTES, TokenKeys } from './token-keys.ts'
import { callerFingerprint, requestFingerprint } from './walk-tokens.ts'

function nextNonce(of: TokenKeys): string {
  const seal = Buffer.alloc(KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES)
  of.nextSeal(seal, 0)
  return seal.toString('hex', KEY_ID_BYTES + SALT_BYTES)
}

const tokenKeys = (secrets: readonly Buffer[]) => new TokenKeys(secrets, randomBytes(SALT_BYTES))
const keys = tokenKeys([randomBytes(32)])
const request = {
  endpoint: 'listObjects',
  revision: '1.0',
  ontologyRid: 'ri.ontology.main.ontology.1',
  objectType: 'thing',
  query: { kind: 'everything' },
  order: [],
  selection: undefined,
  snapshot: false,
} as const
const binding: TokenBinding = {
  request: requestFingerprint(request),
  caller: callerFingerprint('alice'),
}

const counts = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const states: fc.Arbitrary<PageState> = fc.record({
  after: fc.record({
    pk: fc
      .string({ unit: 'binary', maxLength: 128 })
      .filter((key) => Buffer.byteLength(key) <= PRIMARY_KEY_MAX_BYTES),
    version: counts,
  }),
  served: counts,
  end: fc.option(counts, { nil: undefined }),
  isContinued: fc.constantFrom(true as const, undefined),
  totalCount: fc.option(counts, { nil: undefined }),
  snapshot: fc.option(
    fc.record(
      {
        version: counts,
        takenAtSeconds: counts,
        otherVersions: fc.array(counts, { maxLength: OTHER_VERSIONS_MAX }),
      },
      { requiredKeys: ['version', 'takenAtSeconds'] },
    ),
    { nil: undefined },
  ),
})
const at = (pk: string): PageState => ({
  after: { pk, version: 1 },
  served: 1,
  totalCount: undefined,
  snapshot: undefined,
})
const malformed = { refused: 'malformed' }

describe('a page token', () => {
  it('[2.1.5] opens to what was sealed, and stays short', () => {
    fc.assert(
      fc.property(states, (state) => {
        const token = sealPageToken(state, binding, 100, keys)
        expect(token.length).toBeLessThanOrEqual(PAGE_TOKEN_MAX_LENGTH)
        expect(openPageToken(token, binding, 99, keys)).toEqual({ state })
      }),
      fcOptions(300),
    )
  })

  it('carries an estimate of the matches in place of a count', () => {
    fc.assert(
      fc.property(states, fc.nat(), (state, matchEstimate) => {
        const token = sealPageToken({ ...state, matchEstimate }, binding, 100, keys)
        const estimated = state.totalCount === undefined ? { ...state, matchEstimate } : state
        expect(openPageToken(token, binding, 99, keys)).toEqual({ state: estimated })
      }),
      fcOptions(100),
    )
  })

  it('carries the listed types, which can be read before it is opened', () => {
    const listedTypes = [0, 1, 3999]
    const versions = { version: 1, takenAtSeconds: 2, otherVersions: [3] }
    for (const snapshot of [undefined, versions]) {
      const state = { ...at('k'), served: 0, snapshot, listedTypes }
      const token = sealPageToken(state, binding, 100, keys)
      expect(peekListedTypes(token, keys)).toEqual(listedTypes)
      expect(openPageToken(token, binding, 99, keys)).toEqual({ state })
    }
    expect(peekListedTypes(sealPageToken(at('k'), binding, 100, keys), keys)).toBeUndefined()
    expect(peekListedTypes('v1.unknown', keys)).toBeUndefined()
  })

  it('has room for the longest key and the versions of many other types', () => {
    const otherVersions = Array.from({ length: OTHER_VERSIONS_MAX }, (_, n) => n)
    const state = {
      ...at('k'.repeat(PRIMARY_KEY_MAX_BYTES)),
      snapshot: { version: 1, takenAtSeconds: 2, otherVersions },
    }
    const token = sealPageToken(state, binding, 100, keys)
    expect(token.length).toBeLessThanOrEqual(PAGE_TOKEN_MAX_LENGTH)
    expect(openPageToken(token, binding, 99, keys)).toEqual({ state })
    const tooMany = { ...state.snapshot, otherVersions: [...otherVersions, 0] }
    expect(() => sealPageToken({ ...state, snapshot: tooMany }, binding, 100, keys)).toThrow(
      'too many versions',
    )
  })

  it('[2.1.5] is malformed with any single bit flipped', () => {
    const token = sealPageToken(at('key'), binding, 100, keys)
    const bytes = Buffer.from(token.slice(3), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const opened = openPageToken(`v1.${flipped.toString('base64url')}`, binding, 0, keys)
      expect(opened).toEqual(malformed)
    }
  })

  it('[2.1.5] is malformed with any character changed, removed or added', () => {
    const state = at('key')
    const characters = fc.constantFrom(...'ABCxyz019-_+/= .')
    fc.assert(
      fc.property(fc.nat(), characters, fc.nat({ max: 3 }), (at, character, removed) => {
        const token = sealPageToken(state, binding, 100, keys)
        const position = at % (token.length + 1)
        const changed = token.slice(0, position) + character + token.slice(position + removed)
        fc.pre(changed !== token)
        expect(openPageToken(changed, binding, 0, keys)).toEqual(malformed)
      }),
      fcOptions(2000),
    )
  })

  it('[2.1.5] has one spelling: other base64 of the same bytes is rejected', () => {
    // A key of 1 byte leaves unused bits in the last character.
    const token = sealPageToken(at('k'), binding, 9, keys)
    const last = token.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const same = [...alphabet].filter(
      (character) =>
        character !== last &&
        Buffer.from(token.slice(3, -1) + character, 'base64url').equals(
          Buffer.from(token.slice(3), 'base64url'),
        ),
    )
    expect(same.length).toBeGreaterThan(0)
    for (const character of same) {
      expect(openPageToken(token.slice(0, -1) + character, binding, 0, keys)).toEqual(malformed)
    }
  })

  it('[2.1.5] is malformed if the client made it up', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const token = `v1.${Buffer.from(bytes).toString('base64url')}`
        expect(openPageToken(token, binding, 0, keys)).toEqual(malformed)
      }),
      fcOptions(500),
    )
  })

  it('[2.1.5] differs each time, so it reveals nothing about the state', () => {
    const state = at('key')
    const tokens = Array.from({ length: 50 }, () => sealPageToken(state, binding, 100, keys))
    expect(new Set(tokens).size).toBe(50)
    const clear = Buffer.from('key')
    expect(tokens.some((token) => Buffer.from(token.slice(3), 'base64url').includes(clear))).toBe(
      false,
    )
  })

  it('reports why it is refused: other caller, rights or request, expired', () => {
    const token = sealPageToken(at('k'), binding, 100, keys)
    const open = (other: Partial<TokenBinding>, now: number) =>
      openPageToken(token, { ...binding, ...other }, now, keys)
    expect(open({ caller: callerFingerprint('bob') }, 0)).toEqual({ refused: 'other caller' })
    const limited = { caller: callerFingerprint('alice', 'view') }
    expect(open(limited, 0)).toEqual({ refused: 'other rights' })
    const changed = requestFingerprint({ ...request, snapshot: true })
    expect(open({ request: changed }, 0)).toEqual({ refused: 'other request' })
    expect(open({}, 100)).toEqual({ refused: 'expired', expired: at('k') })
    expect(open({}, 99.999)).toHaveProperty('state')
  })

  it('is bound to the rights of its caller', () => {
    const limited = (viewId: string) => ({ ...binding, caller: callerFingerprint('alice', viewId) })
    const token = sealPageToken(at('k'), limited('one'), 100, keys)
    const open = (other: TokenBinding) => openPageToken(token, other, 0, keys)
    expect(open(limited('one'))).toHaveProperty('state')
    expect(open(limited('two'))).toEqual({ refused: 'other rights' })
    expect(open(binding)).toEqual({ refused: 'other rights' })
    const bob = { ...binding, caller: callerFingerprint('bob', 'one') }
    expect(open(bob)).toEqual({ refused: 'other caller' })
  })

  it('is sealed with the first key and opened with any of them', () => {
    const [a, b, c] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const state = at('k')
    const token = sealPageToken(state, binding, 100, tokenKeys([a, b]))
    expect(openPageToken(token, binding, 0, tokenKeys([c, b, a]))).toEqual({ state })
    expect(openPageToken(token, binding, 0, tokenKeys([b, c]))).toEqual(malformed)
  })
})

describe('a page token of another process', () => {
  const secret = Buffer.alloc(32, 7)
  const fixedKeys = () => new TokenKeys([secret], Buffer.alloc(SALT_BYTES, 9))
  const snapshot = { version: 5, takenAtSeconds: 6, otherVersions: [7, 8] }
  const state = { ...at('key'), served: 2, totalCount: 0, snapshot }
  const listed = { ...state, listedTypes: [0, 3999] }

  it('is opened by every process with the key, any number of times', () => {
    const other = fixedKeys()
    for (const one of [state, listed, at('k')]) {
      const token = sealPageToken(one, binding, 100, fixedKeys())
      expect(peekListedTypes(token, fixedKeys())).toEqual(
        'listedTypes' in one ? one.listedTypes : undefined,
      )
      expect(openPageToken(token, binding, 99, other)).toEqual({ state: one })
      expect(openPageToken(token, binding, 99, other)).toEqual({ state: one })
    }
  })

  it.each([
    ['with one version', at('key')],
    ['with several versions', state],
    ['with listed types', listed],
  ])('%s keeps its format', (_, one) => {
    const token = sealPageToken(one, binding, 100, fixedKeys())
    const bytes = Buffer.from(token.slice(3), 'base64url')
    expect(bytes[0]).toBe(1)
    expect(bytes.toString('hex', 1, 5)).toBe('44e7ff18')
    expect(bytes.subarray(5, 21)).toEqual(Buffer.alloc(SALT_BYTES, 9))
    expect(bytes.toString('hex', 21, 33)).toBe('000000000000000000000001')
  })

  it('keeps when its walk started, unless its snapshot says so', () => {
    const started = { ...at('k'), startedAtMs: 1_700_000_000_123 }
    const opened = (one: PageState) =>
      openPageToken(sealPageToken(one, binding, 100, fixedKeys()), binding, 99, fixedKeys())
    expect(opened(started)).toEqual({ state: started })
    expect(opened({ ...started, snapshot })).toEqual({ state: { ...at('k'), snapshot } })
  })

  it('[2.1.5] is malformed if it is cut off anywhere, or starts with another prefix', () => {
    const token = sealPageToken(listed, binding, 100, fixedKeys())
    const bytes = Buffer.from(token.slice(3), 'base64url')
    const opener = fixedKeys()
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = `v1.${bytes.toString('base64url', 0, length)}`
      expect(openPageToken(cut, binding, 0, opener)).toEqual(malformed)
      expect(peekListedTypes(cut, opener)).toBeUndefined()
    }
    for (const prefix of ['v2.', 'v1,', '']) {
      const other = prefix + token.slice(3)
      expect(openPageToken(other, binding, 0, opener)).toEqual(malformed)
      expect(peekListedTypes(other, opener)).toBeUndefined()
    }
  })

  it('is not looked at if it is longer than any token', () => {
    const sealed = (length: number) => {
      const one = { ...listed, after: { pk: 'k'.repeat(length), version: 1 } }
      return { one, token: sealPageToken(one, binding, 100, fixedKeys()) }
    }
    const empty = Buffer.from(sealed(0).token.slice(3), 'base64url').length
    const longest = sealed(Math.floor(((PAGE_TOKEN_MAX_LENGTH - 3) * 3) / 4) - empty)
    // Base64 has no text that is one character longer.
    expect(longest.token).toHaveLength(PAGE_TOKEN_MAX_LENGTH - 1)
    expect(openPageToken(longest.token, binding, 0, fixedKeys())).toEqual({ state: longest.one })
    expect(peekListedTypes(longest.token, fixedKeys())).toEqual(listed.listedTypes)
    const { token } = sealed(PAGE_TOKEN_MAX_LENGTH)
    expect(openPageToken(token, binding, 0, fixedKeys())).toEqual(malformed)
    expect(peekListedTypes(token, fixedKeys())).toBeUndefined()
  })
})

describe('the fingerprint of a request', () => {
  it('[4.1.1] stays the same, so that the tokens of other processes are valid', () => {
    expect(requestFingerprint(request).toString('hex')).toBe('dd060f8af39004817c73ccf12100fe63')
    expect(requestFingerprint({ ...request, excludeRid: true }).toString('hex')).toBe(
      '7207909ed6aca4c2906e4b3713ca14d7',
    )
    expect(callerFingerprint('alice').toString('hex')).toBe('2bd806c97f0e00af1a1fc3328fa763a9')
    expect(callerFingerprint('alice', 'view').toString('hex')).toBe(
      '2bd806c97f0e00afaec8912e7cfe455a',
    )
  })

  it('[4.1.1] changes with every part of the request', () => {
    const variants = [
      request,
      { ...request, endpoint: 'searchObjects' },
      { ...request, revision: '2.0' as const },
      { ...request, ontologyRid: 'ri.ontology.main.ontology.2' },
      { ...request, objectType: 'other' },
      { ...request, query: { kind: 'other' } },
      { ...request, order: [{ property: 'a' }] },
      { ...request, selection: ['a'] },
      { ...request, snapshot: true },
      { ...request, excludeRid: true },
    ]
    const prints = variants.map((variant) => requestFingerprint(variant).toString('hex'))
    expect(new Set(prints).size).toBe(variants.length)
  })

  it('[4.1.1] stays different when text moves from one part to the next', () => {
    const one = requestFingerprint({ ...request, ontologyRid: 'a', objectType: 'b","c' })
    const two = requestFingerprint({ ...request, ontologyRid: 'a","b', objectType: 'c' })
    expect(one.equals(two)).toBe(false)
  })
})

describe('token keys', () => {
  it('never repeat a nonce, and open the tokens of many other processes', () => {
    const secret = randomBytes(32)
    const own = tokenKeys([secret])
    const nonces = Array.from({ length: 1000 }, () => nextNonce(own))
    expect(new Set(nonces).size).toBe(1000)
    const state = at('k')
    const others = Array.from({ length: 600 }, () => tokenKeys([secret]))
    const tokens = others.map((other) => sealPageToken(state, binding, 100, other))
    for (const token of [...tokens, ...tokens.reverse()]) {
      expect(openPageToken(token, binding, 0, own)).toEqual({ state })
    }
  })

  it('are required, and each has 32 bytes', () => {
    expect(() => tokenKeys([])).toThrow('At least one')
    expect(() => tokenKeys([randomBytes(31)])).toThrow('32 bytes')
    expect(() => new TokenKeys([randomBytes(32)], randomBytes(15))).toThrow('16 bytes')
  })
})
