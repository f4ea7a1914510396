/**
 * The cursor of a walk by relevance. The text that a page token carries where other walks have a
 * primary key is `OBJECTS SCORE AVERAGE WEIGHT,WEIGHT…` in base 36, a line feed, and the key; in a
 * tier that is sorted by key, only `OBJECTS`. The version is the number of the tier.
 */
import type { Cursor } from './cursor.ts'

export interface RelevanceCursor {
  readonly tier: number
  readonly pk: string
  /** The number of objects of the type at the start of the walk. */
  readonly objects: number
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

export function encodeRelevanceCursor(cursor: RelevanceCursor): Cursor {
  const { tier, pk, objects, ranked } = cursor
  const numbers = ranked === undefined ? [objects] : [objects, ranked.score, ranked.averageLength]
  const weights = ranked?.weights.map((weight) => weight.toString(RADIX)).join(',') ?? []
  const state = [...numbers.map((number) => number.toString(RADIX)), weights].flat().join(' ')
  return { pk: `${state}\n${pk}`, version: tier }
}

/** Decodes the cursor of a token that was opened, so that it is known to be valid. */
export function decodeRelevanceCursor({ pk, version }: Cursor): RelevanceCursor {
  const end = pk.indexOf('\n')
  const [objects = '', score, averageLength = '', weights = ''] = pk.slice(0, end).split(' ')
  return {
    tier: version,
    pk: pk.slice(end + 1),
    objects: parseNumber(objects),
    ranked:
      score === undefined
        ? undefined
        : {
            score: parseNumber(score),
            averageLength: parseNumber(averageLength),
            weights: weights.split(',').map(parseNumber),
          },
  }
}

function parseNumber(text: string): number {
  return Number.parseInt(text, RADIX)
}
