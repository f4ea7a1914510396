/**
 * Walks by relevance, with commits between the pages. A snapshot walk must return the objects of its
 * start in the order of a model: by tier, score and key. A default walk must return every object
 * that does not change exactly once.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { averageLengthOf, scoreOf, weightOf } from '../../src/query/relevance-score.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

/** Words and their stems. */
const STEMS: Readonly<Record<string, string>> = {
  island: 'island',
  islands: 'island',
  lake: 'lake',
  lakes: 'lake',
  of: 'of',
  north: 'north',
}

interface Place {
  readonly id: string
  readonly name: string
}

const place: fc.Arbitrary<Place> = fc.record({
  id: fc.constantFrom(...'abcdefghijklmnopqrst\ud83d\ude00'),
  name: fc
    .array(fc.constantFrom(...Object.keys(STEMS)), { minLength: 1, maxLength: 5 })
    .map((words) => words.join(' ')),
})
const walks = fc.record({
  first: fc.array(place, { minLength: 10, maxLength: 40 }),
  commits: fc.array(fc.array(place, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
  terms: fc.uniqueArray(fc.constantFrom(...Object.keys(STEMS)), { minLength: 1, maxLength: 3 }),
  sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
})

let service: Service
let types = 0
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

/** Creates a type with objects, and returns the last state of each. */
async function createPlaces(places: readonly Place[]): Promise<[string, Map<string, Place>]> {
  types += 1
  const apiName = `places${types}`
  const properties = {
    id: { type: 'string' },
    name: { type: 'string', language: 'english' },
  } as const
  const objectTypes = [{ apiName: 'place', primaryKey: 'id', properties }]
  await service.apply({ apiName, objectTypes })
  const distinct = new Map(places.map((one) => [one.id, one]))
  await service.put(apiName, 'place', [...distinct.values()])
  return [apiName, distinct]
}

/** Returns the keys in the order of relevance. */
function modelOrder(places: ReadonlyMap<string, Place>, terms: readonly string[]): string[] {
  const wordsOf = ({ name }: Place) => name.split(' ')
  const all = [...places.values()].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
  )
  const grade = (word: string, term: string) =>
    word === term ? 2 : STEMS[word] === STEMS[term] ? 1 : 0
  const matches = all.filter((one) =>
    wordsOf(one).some((word) => terms.some((term) => grade(word, term) > 0)),
  )
  const tierOf = (one: Place) => {
    const words = wordsOf(one)
    const found = terms.filter((term) => words.includes(term)).length
    if (` ${one.name} `.includes(` ${terms.join(' ')} `)) return 9
    return found === terms.length ? 8 : terms.length === 3 && found === 2 ? 7 : 0
  }
  const weights = terms.map((term) => {
    const having = all.filter((one) => wordsOf(one).some((word) => grade(word, term) > 0))
    return weightOf(having.length, all.length)
  })
  const tiers = [9, 8, 7, 0].map((tier) => {
    const measured = matches
      .filter((one) => tierOf(one) === tier)
      .map((one) => ({
        id: one.id,
        length: wordsOf(one).length,
        frequencies: terms.map((term) =>
          wordsOf(one).reduce((sum, word) => sum + grade(word, term), 0),
        ),
      }))
    const statistics = { weights, averageLength: averageLengthOf(measured) }
    return measured.toSorted((a, b) => scoreOf(b, statistics) - scoreOf(a, statistics))
  })
  return tiers.flat().map(({ id }) => id)
}

it('[4.5.1] [4.5.2] walks by relevance return every match once while data changes', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(walks, fc.boolean(), async ({ first, commits, terms, sizes }, snapshot) => {
      const [apiName, places] = await createPlaces(first)
      const expected = modelOrder(places, terms)
      const changed = new Set<string>()
      const seen: string[] = []
      let pageToken: string | undefined
      for (let page = 0; page === 0 || pageToken !== undefined; page += 1) {
        const { body } = await service.send(`/api/v2/ontologies/${apiName}/objects/place/search`, {
          json: {
            where: { type: 'containsAnyTerm', field: 'name', value: terms.join(' ') },
            orderBy: { orderType: 'relevance' },
            pageSize: sizes[page % sizes.length],
            snapshot,
            pageToken,
          },
        })
        for (const record of body.data) {
          seen.push(record.__primaryKey)
          if (snapshot) expect(record.name).toBe(places.get(record.__primaryKey)?.name)
        }
        pageToken = body.nextPageToken
        const commit = commits[page]
        if (commit === undefined) continue
        const distinct = new Map(commit.map((one) => [one.id, one]))
        await service.put(apiName, 'place', [...distinct.values()])
        for (const id of distinct.keys()) changed.add(id)
      }
      const isUnchanged = (id: string) => snapshot || !changed.has(id)
      if (snapshot || changed.size === 0) expect(seen).toEqual(expected)
      expect(seen.filter(isUnchanged).sort()).toEqual(expected.filter(isUnchanged).sort())
    }),
    fcOptions(20, 12),
  )
})
