/** An analyst's questions in Chromium: how many clicks each takes, and how long its answer. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { openBrowser, signIn } from '../../test/support/browser.ts'
import { watchRequests } from '../../test/support/page-requests.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { writeChanges } from '../measure/parts.ts'
import { atMost, count, median, print, showProgress, toMarkdown } from '../measure/report.ts'
import { NO_CACHE, type Service, type Workbench } from '../measure/workbench.ts'
import { untilBuilt } from './answers.ts'
import { ITEM_DEFINITION, ITEM_TYPE, makeItem } from './answers-data.ts'
import { measureImport } from './measure-import.ts'
import { type AnalystQuestion, DEMO_WORDS, QUESTIONS, type Vocabulary } from './questions-cases.ts'
import { User } from './questions-user.ts'

const LIMIT_MS = 500
const STATIONS = 400
const AREAS = ['north', 'east', 'south', 'west']
const DEMO_CITIES = '/api/v1/ontologies/aviation/objects/city?pageSize=1'
const DEMO_OBJECTS = '135233'
const LOOK_MS = 500

const WORDS: Vocabulary = {
  ontology: 'answers',
  type: 'item',
  group: 'Station',
  few: 'Status',
  amount: 'Amount',
  other: 'Weight',
  time: 'Seen at',
  link: ['Seen by ›', 'Of seen by', 'Area', 'north'],
  gaps: ['item', 'weight'],
  place: ['item', 'Position', 'Amount'],
  find: ['Station 17', 'Station 17'],
  compare: ['station', 'station 12', 'Station 13'],
}

interface Answer {
  readonly clicks: number
  readonly texts: number
  readonly milliseconds: number
}

export const questions: Part<{ readonly objects: number; readonly rounds: number }> = {
  about: `Answers ${QUESTIONS.length} questions of an analyst in Chromium, from the first page on, in the demo and in a file:
how many clicks each takes, and how long from the last one to the answer.`,
  full: { objects: 1_000_000, rounds: 5 },
  quick: { objects: 20_000, rounds: 1 },
  usualStores: ['SQLite'],
  async run({ bench, numbers: { objects, rounds }, store, print }) {
    await using browser = await openBrowser()
    const demo = await answerAll(browser, await startDemo(bench), DEMO_WORDS, rounds)
    const large = await answerAll(browser, await startLarge(bench, objects), WORDS, rounds)
    const rows = QUESTIONS.map(({ name }, index) => {
      const [inDemo, inFile] = [demo[index], large[index]]
      const clicks = `${inDemo?.clicks}${inDemo?.texts === 0 ? '' : ` + ${inDemo?.texts}`}`
      const times = [inDemo, inFile].map((each) => count(each?.milliseconds ?? Number.NaN))
      return [name, clicks, ...times]
    })
    print(`## ${store}`)
    const head = ['Question', 'Clicks + texts', 'Demo, ms', `${count(objects)} objects, ms`]
    print(toMarkdown([head, ...rows]))
    return QUESTIONS.map(({ name }, index) =>
      atMost(LIMIT_MS, `${store}: ${name}, ms`, large[index]?.milliseconds ?? Number.NaN),
    )
  },
}

/** Answers each question several times, each time on a page that knows nothing yet. */
async function answerAll(
  browser: Browser,
  service: Service,
  words: Vocabulary,
  rounds: number,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const question of QUESTIONS) {
    showProgress(`${words.ontology}: ${question.name}`)
    const round = () => answerOnce(browser, service, words, question)
    const all = await Array.fromAsync({ length: rounds }, round)
    const [first] = all as [Answer]
    answers.push({ ...first, milliseconds: median(all.map((each) => each.milliseconds)) })
  }
  return answers
}

async function answerOnce(
  browser: Browser,
  { url }: Service,
  words: Vocabulary,
  { name, answer }: AnalystQuestion,
): Promise<Answer> {
  await using context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => print(`error on the page: ${error.message}`))
  await signIn(page, url.origin, ADMIN_TOKEN)
  const { settled } = watchRequests(page)
  await page.goto(url.href)
  await settled()
  const user = new User(page)
  try {
    await answer(user, words)
  } catch (error) {
    throw new Error(`${words.ontology}, ${name}: ${(error as Error).message}`, { cause: error })
  }
  const { clicks, texts, milliseconds } = user
  return { clicks, texts, milliseconds }
}

async function startDemo(bench: Workbench): Promise<Service> {
  const service = await bench.startService({ settings: { ...NO_CACHE, OQS_DEMO: 'on' } })
  showProgress('loading the demo')
  const { url, headers } = service
  // There is no ontology at first.
  const isLoaded = async () => {
    const response = await fetch(new URL(DEMO_CITIES, url), { headers })
    return (await response.text()).includes(DEMO_OBJECTS)
  }
  while (!(await isLoaded())) await sleep(LOOK_MS)
  return service
}

/** Items with gaps and positions, and the stations that have seen them. */
async function startLarge(bench: Workbench, objects: number): Promise<Service> {
  showProgress(`writing a file of ${count(objects)} objects`)
  const file = join(bench.folder, 'analyst.ndjson')
  await writeFile(file, lines(objects))
  const [item] = ITEM_DEFINITION.objectTypes
  if (item === undefined) throw new Error('There is no type of items.')
  const text = { type: 'string' } as const
  const definition = {
    ...ITEM_DEFINITION,
    objectTypes: [
      { ...item, properties: { ...item.properties, position: { type: 'geopoint' } as const } },
      {
        apiName: 'station',
        primaryKey: 'id',
        titleProperty: 'name',
        properties: { id: text, name: text, area: text },
      },
    ],
    linkTypes: [
      {
        apiName: 'seenBy',
        reverseApiName: 'items',
        from: 'item',
        to: 'station',
        foreignKey: 'station',
      },
    ],
  }
  const source = { file, definition, type: ITEM_TYPE, settings: NO_CACHE }
  const { service } = await measureImport(bench, source)
  const stations = Array.from({ length: STATIONS }, (_, n) => {
    return { put: { id: `station ${n}`, name: `Station ${n}`, area: AREAS[n % AREAS.length] } }
  })
  await writeChanges(service, '/api/admin/v1/ontologies/answers/objects/station', stations)
  await untilBuilt(service)
  return service
}

function* lines(objects: number): Generator<string> {
  for (let start = 0; start < objects; start += 1000) {
    const length = Math.min(1000, objects - start)
    const batch = Array.from({ length }, (_, n) => {
      const item = makeItem(start + n)
      const position = {
        type: 'Point',
        coordinates: [item.weight / 5 - 100, (item.amount % 900) / 10 - 30],
      }
      // One in ten has no weight.
      return { ...item, position, ...(n % 10 === 0 && { weight: null }) }
    })
    yield batch.map((each) => `${JSON.stringify(each)}\n`).join('')
  }
}
