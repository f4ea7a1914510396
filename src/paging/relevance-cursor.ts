/**
 * The cursor of a walk by relevance. In a tier that is sorted by key, it has the key, and the number
 * of the tier in place of a version. In a tier that is sorted by score, the number is negative, and
 * `SCORE AVERAGE WEIGHT,WEIGHT…` in base 36 and a line feed stand before the key.
 */
import type { Cursor } from './page-token.ts'

export interface RelevanceCursor {
  readonly tier: number
  readonly pk: string
  /** Undefined in a tier that is sorted by key. */
  readonly ranked: RankedPosition | undefined
}

/** The score of the last object, and the statistics by which the tier is sorted. */
export interface RankedPosition {
  readonly score: number
  readonly averageLength: number
  readonly weights: readonly number[]
}

const RADIX = 36

export function encodeRelevanceCursor({ tier, pk, ranked }: RelevanceCursor): Cursor {
  if (ranked === undefined) return { pk, version: tier }
  const { score, averageLength, weights } = ranked
  const numbers = [score, averageLength].map((number) => number.toString(RADIX)).join(' ')
  const listed = weights.map((weight) => weight.toString(RADIX)).join(',')
  return { pk: `${numbers} ${listed}\n${pk}`, version: -1 - tier }
}

/** Decodes the cursor of a token that was opened, so that it is known to be valid. */
export function decodeRelevanceCursor({ pk, version }: Cursor): RelevanceCursor {
  if (version >= 0) return { tier: version, pk, ranked: undefined }
  const end = pk.indexOf('\n')
  const [score = '', averageLength = '', weights = ''] = pk.slice(0, end).split(' ')
  return {
    tier: -1 - version,
    pk: pk.slice(end + 1),
    ranked: {
      score: parseNumber(score),
      averageLength: parseNumber(averageLength),
      weights: weights.split(',').map(parseNumber),
    },
  }
}

function parseNumber(text: string): number {
  return Number.parseInt(text, RADIX)
}
