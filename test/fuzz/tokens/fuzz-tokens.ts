/** Opens changed page tokens. None may be accepted. */

import {
  openPageToken,
  type PageState,
  peekListedTypes,
  sealPageToken,
  type TokenBinding,
} from '../../../src/paging/page-token.ts'
import { TokenKeys } from '../../../src/paging/token-keys.ts'
import { callerFingerprint } from '../../../src/paging/walk-tokens.ts'
import { Random } from '../random.ts'
import { mutateToken } from './mutate-token.ts'

export interface SealedTokens {
  readonly keys: TokenKeys
  readonly binding: TokenBinding
  readonly tokens: readonly string[]
}

const NOW_SECONDS = 1_000_000
const TOKENS = 64

/** Seals tokens of all kinds of walks: with and without a snapshot, with short and long keys. */
export function sealTokens(): SealedTokens {
  const keys = new TokenKeys([Buffer.alloc(32, 7), Buffer.alloc(32, 8)], Buffer.alloc(16, 9))
  const binding = { request: callerFingerprint('request'), caller: callerFingerprint('caller') }
  const tokens = Array.from({ length: TOKENS }, (_, n) =>
    sealPageToken(stateOf(n), binding, NOW_SECONDS + 300, keys),
  )
  return { keys, binding, tokens }
}

function stateOf(n: number): PageState {
  const takenAtSeconds = NOW_SECONDS - n
  return {
    after: { pk: `key ${'x'.repeat((n * n) % 500)}`, version: n },
    served: n * 100,
    totalCount: n % 2 === 0 ? n * 1000 : undefined,
    snapshot:
      n % 3 === 0
        ? { version: n, takenAtSeconds, ...(n % 2 === 0 ? { otherVersions: [n, n + 1] } : {}) }
        : undefined,
    ...(n % 5 === 0 ? { listedTypes: [n, n + 1] } : {}),
  }
}

/** A changed token that was accepted, or that was not refused as it should be. */
export interface TokenFailure {
  readonly seed: number
  readonly token: string
  readonly mistake: string
}

/** Opens the changed tokens of consecutive seeds, until `count` of them differ from real tokens. */
export function openChangedTokens(
  { keys, binding, tokens }: SealedTokens,
  { seed, count }: { readonly seed: number; readonly count: number },
  onFailure: (failure: TokenFailure) => void,
): void {
  const real = new Set(tokens)
  let opened = 0
  for (let own = seed; opened < count; own += 1) {
    const token = changedToken(own, tokens)
    if (real.has(token)) continue
    opened += 1
    try {
      const result = openPageToken(token, binding, NOW_SECONDS, keys)
      const peeked = peekListedTypes(token, keys)
      if (!('refused' in result)) onFailure({ seed: own, token, mistake: 'accepted' })
      else if (result.refused !== 'malformed' || peeked !== undefined) {
        onFailure({ seed: own, token, mistake: `decrypted, then refused: ${result.refused}` })
      }
    } catch (error) {
      onFailure({ seed: own, token, mistake: `throws ${(error as Error).message}` })
    }
  }
}

function changedToken(seed: number, tokens: readonly string[]): string {
  const random = new Random(seed)
  return mutateToken(random.pick(tokens), tokens, random)
}
