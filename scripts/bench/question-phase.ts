import { KINDS, type PlainWalks } from './listing-phase.ts'
import { PAGE_SIZES } from './options.ts'
import {
  compare,
  compareDepth,
  costAtMost,
  type PageCase,
  type Phase,
  walkCases,
} from './page-case.ts'
import type { MeasuredProcess } from './processes.ts'
import { getObject, listPages, type Pages, searchPages1 } from './requests.ts'
import { markWalk, type Place } from './walk.ts'

/** Questions that an index answers, beside plain pages of the same size. */

export const QUESTIONS_TITLE = 'Questions'

interface Question {
  readonly kind: string
  readonly pages: Pages
  /** Of all objects, those that are found, at least. */
  readonly share: number
  readonly places: readonly Place[]
  /** Whether all matches are put in order for each page: then many of them cost much. */
  readonly sortsMatches?: true
}

/** The first page of a question with conditions counts all matches; the others do not. */
const WITH_COUNT: readonly Place[] = ['first', 'next', 'deep']
const WITHOUT_COUNT: readonly Place[] = ['near', 'deep']

const QUESTIONS: readonly Question[] = [
  {
    kind: 'equality, one in seven',
    pages: listPages({ 'p.category.eq': 'rotor' }),
    share: 1 / 7,
    places: WITH_COUNT,
  },
  {
    kind: 'range in its own order',
    pages: listPages({ 'p.weight.gte': '10', orderBy: 'p.weight' }),
    share: 0.98,
    places: WITH_COUNT,
  },
  {
    kind: 'range in key order',
    pages: searchPages1({ type: 'gt', field: 'properties.weight', value: 600 }),
    share: 0.4,
    places: WITH_COUNT,
  },
  {
    kind: 'order, no condition',
    pages: listPages({ orderBy: 'p.changedAt:desc' }),
    share: 1,
    places: WITHOUT_COUNT,
  },
  {
    kind: 'full text, one in seven',
    pages: searchPages1({ type: 'allTerms', field: 'properties.name', value: 'rotor' }),
    share: 1 / 7,
    places: WITH_COUNT,
    sortsMatches: true,
  },
  {
    kind: 'three properties',
    pages: listPages({ properties: 'name,category,weight' }),
    share: 1,
    places: WITHOUT_COUNT,
  },
]

const SORTING = QUESTIONS.filter(({ sortsMatches }) => sortsMatches).map(({ kind }) => kind)

/** How much more a page of 100 matches may cost than a plain one. */
const QUESTION_MARK = costAtMost(5)
const MARKED_PAGE_SIZE = 100

export async function questionPhase(server: MeasuredProcess, { list }: PlainWalks): Promise<Phase> {
  const plain = PAGE_SIZES.flatMap((pageSize) =>
    walkCases({ server, kind: KINDS.list, walk: list, pageSize, places: ['near'], revision: 0 }),
  )
  const plainOf = (pageSize: number) => plain.find((each) => each.pageSize === pageSize)
  const asked: (readonly PageCase[])[] = []
  for (const question of QUESTIONS)
    asked.push(...(await askedCases(server, question, list.objects)))
  const few = fewCases(server, list.objects)
  const paged = asked.flat().filter(({ place }) => place !== 'first')
  return {
    title: QUESTIONS_TITLE,
    cases: [...plain, ...asked.flat(), ...few, keyCase(server, list.objects)],
    comparisons: [
      ...asked.flatMap(compareDepth),
      ...[...paged, ...few].flatMap((each) =>
        each.place === 'deep'
          ? []
          : compare(
              each,
              plainOf(each.pageSize),
              each.pageSize === MARKED_PAGE_SIZE && !SORTING.includes(each.kind)
                ? QUESTION_MARK
                : undefined,
            ),
      ),
    ],
  }
}

/** The cases of a question, by page size. */
async function askedCases(
  server: MeasuredProcess,
  { kind, pages, share, places }: Question,
  objects: number,
): Promise<readonly (readonly PageCase[])[]> {
  const wish = { pages, maxPageSize: 1000, objects: Math.floor(objects * share) }
  const walk = await markWalk(server, wish, { pageSizes: PAGE_SIZES, places })
  return PAGE_SIZES.map((pageSize) => walkCases({ server, kind, walk, pageSize, places }))
}

/** How many different objects are asked for in turn. */
const DIFFERENT = 500

/** Questions with one match or a few, and so with one page. */
function fewCases(server: MeasuredProcess, objects: number): readonly PageCase[] {
  const common = { place: 'first', at: 'page 1', pageSize: MARKED_PAGE_SIZE, server } as const
  const words = someNumbers(objects).map((number) => (objects - number).toString(36))
  const textCall = (type: 'allTerms' | 'prefix', value: string) =>
    searchPages1({ type, field: 'properties.name', value })(MARKED_PAGE_SIZE)
  return [
    {
      ...common,
      kind: 'full text, one match',
      calls: words.map((word) => textCall('allTerms', word)),
    },
    {
      ...common,
      kind: 'prefix, few matches',
      calls: words.map((word) => textCall('prefix', word.slice(0, -1))),
    },
    {
      ...common,
      kind: 'range, few matches',
      calls: [listPages({ 'p.weight.lt': '0.25' })(MARKED_PAGE_SIZE)],
    },
  ]
}

function keyCase(server: MeasuredProcess, objects: number): PageCase {
  const calls = someNumbers(objects).map(getObject)
  return { kind: 'get by key', place: 'spread', at: 'objects all over', pageSize: 1, server, calls }
}

function someNumbers(objects: number): readonly number[] {
  return Array.from({ length: DIFFERENT }, (_, index) => Math.floor((index * objects) / DIFFERENT))
}
