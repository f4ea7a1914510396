import type { Call } from '../bench/http-client.ts'
import type { MeasuredProcess } from '../bench/processes.ts'
import type { RoundCase } from '../bench/rounds.ts'
import type { Places } from './places.ts'
import { getObject, listPage, rangePage, readNextToken, searchPage } from './requests.ts'

/** What is asked of the service of each size. */

export interface GrowthCase extends RoundCase {
  readonly name: string
  readonly objects: number
  /** How many times what it costs with the fewest objects it may cost, if that is promised. */
  readonly atMost: number | undefined
}

/** A service on a store of one size. */
export interface SizedService {
  readonly objects: number
  readonly service: MeasuredProcess
  readonly places: Places
  /** Of a snapshot that is not the newest version any more. */
  readonly snapshotPlaces: Places
}

const PAGE_AT_MOST = 1.3

export async function casesOf(sized: SizedService): Promise<readonly GrowthCase[]> {
  const { objects, service, places, snapshotPlaces } = sized
  const page = (name: string, next: () => Call): GrowthCase => {
    return { name, objects, server: service, next, atMost: PAGE_AT_MOST }
  }
  const question = (name: string, next: () => Call): GrowthCase => {
    return { name, objects, server: service, next, atMost: undefined }
  }
  const pages = [100, 1000].flatMap((size) => {
    const name = `page of ${size.toLocaleString('en')}`
    const anywhere = inTurn(places.all)
    const anywhereThen = inTurn(snapshotPlaces.all)
    return [
      page(`${name}, first`, () => listPage(size, 'default', undefined)),
      page(`${name}, deepest`, () => listPage(size, 'default', places.deepest)),
      page(`${name}, all over`, () => listPage(size, 'default', anywhere())),
      page(`${name}, snapshot, all over`, () => listPage(size, 'snapshot', anywhereThen())),
    ]
  })

  const secondOfRange = await readNextToken(service, rangePage(undefined))
  const number = inTurn(spread(objects))
  return [
    ...pages,
    question('get by key', () => getObject(number())),
    question('equality, one in seven', () =>
      searchPage({ type: 'eq', field: 'category', value: 'rotor' }),
    ),
    question('range in its own order, page 2', () => rangePage(secondOfRange)),
    // It counts all matches, which takes seconds where there are millions.
    { ...question('range in its own order, page 1', () => rangePage(undefined)), concurrency: 1 },
    question('keyword, few matches', () => searchPage({ type: 'keyword', query: 'rotor 2s1' })),
  ]
}

/** One after the other, again and again. */
function inTurn<T>(items: readonly T[]): () => T {
  let at = 0
  return () => {
    const item = items[at % items.length]
    if (item === undefined) throw new Error('there is nothing to take turns')
    at += 1
    return item
  }
}

const KEYS = 1009

function spread(objects: number): readonly number[] {
  return Array.from({ length: KEYS }, (_, index) => Math.floor((index * objects) / KEYS))
}
