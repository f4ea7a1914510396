/**
 * The objects of the answers: three texts of few values, a timestamp, an integer, a double, a boolean,
 * and two free texts whose terms are as unevenly frequent as those of a language.
 */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'

const REGIONS = 20
const STATIONS = 400
const STATUSES = ['new', 'open', 'held', 'sent', 'paid', 'done', 'void']
const TITLE_TERMS = 5
const NOTES_TERMS = 12
const TERMS = 5000
const LETTERS = 'etaoinshrdlucmfwypvbgkqjxz'
const FIRST_SEEN_MS = Date.UTC(2023, 0, 1)
const SEEN_SECONDS = 3 * 365 * 86_400

/** The term of each rank; a prime step, so that frequent terms share no beginning. */
const VOCABULARY = Array.from({ length: TERMS }, (_, rank) =>
  [...(1e6 + ((rank * 1_299_709) % 9e6)).toString(26)]
    .map((digit) => LETTERS[Number.parseInt(digit, 26)])
    .join(''),
)

export const ITEM_DEFINITION: OntologyDefinition = {
  apiName: 'answers',
  objectTypes: [
    {
      apiName: 'item',
      primaryKey: 'id',
      titleProperty: 'title',
      properties: {
        id: { type: 'string' },
        region: { type: 'string' },
        station: { type: 'string' },
        status: { type: 'string' },
        seenAt: { type: 'timestamp' },
        amount: { type: 'integer' },
        weight: { type: 'double' },
        active: { type: 'boolean' },
        title: { type: 'string' },
        notes: { type: 'string' },
      },
    },
  ],
}
export const ITEM_TYPE = ['--ontology', 'answers', '--type', 'item'] as const
export const ITEM_OBJECTS = '/api/admin/v1/ontologies/answers/objects/item'
export const PROPERTIES = 10

/** Terms of the notes that 1 in 9, 1 in 18 and 1 in 80 objects have, and the beginning of some terms. */
export const TERM = {
  in9: term(11),
  in18: term(23),
  in80: term(109),
  beginning: term(40).slice(0, 2),
}

/** Makes an object that depends only on its arguments; amounts are 0 to 9,999, weights 0 to 999.999. */
export function makeItem(number: number, revision = 0) {
  let state = Math.imul(number + 1, 0x9e37_79b1) ^ Math.imul(revision, 0x85eb_ca6b)
  const next = (below: number): number => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  // The n-th term is about n times rarer than the first.
  const terms = (length: number) =>
    Array.from({ length }, () => term(Math.floor(TERMS ** (next(2 ** 31) / 2 ** 31)) - 1)).join(' ')
  return {
    id: `I${String(number).padStart(9, '0')}`,
    region: `region ${next(REGIONS)}`,
    // Some stations have many times as many objects as others.
    station: `station ${Math.min(next(STATIONS), next(STATIONS))}`,
    status: STATUSES[next(STATUSES.length)],
    seenAt: new Date(FIRST_SEEN_MS + next(SEEN_SECONDS) * 1000).toISOString(),
    amount: next(10_000),
    weight: next(1_000_000) / 1000,
    active: next(10) < 7,
    title: terms(TITLE_TERMS),
    notes: terms(NOTES_TERMS),
  }
}

/** Lines of CSV in key order, a thousand at a time. No value needs quotes. */
export function* itemLines(objects: number): Generator<string> {
  yield `${Object.keys(makeItem(0)).join()}\n`
  for (let start = 0; start < objects; start += 1000) {
    const length = Math.min(1000, objects - start)
    yield Array.from({ length }, (_, n) => `${Object.values(makeItem(start + n)).join()}\n`).join(
      '',
    )
  }
}

function term(rank: number): string {
  return VOCABULARY[rank] as string
}
