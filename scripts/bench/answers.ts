/** Counts, groups, first pages, text searches and the import, against sqlite3, DuckDB and tantivy. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/command.ts'
import { Connection, sendOnce } from '../measure/connection.ts'
import { writeChanges } from '../measure/parts.ts'
import { privateMegabytes } from '../measure/processes.ts'
import {
  atLeast,
  atMost,
  count,
  type Mark,
  median,
  showProgress,
  type Table,
  toMarkdown,
} from '../measure/report.ts'
import { NO_CACHE, type Service, type Workbench } from '../measure/workbench.ts'
import { GROUPS, QUESTIONS, type Question } from './answers-cases.ts'
import { ITEM_OBJECTS, ITEM_TYPE, itemLines, makeItem, PROPERTIES } from './answers-data.ts'
import { columnBytes, measureBuilding } from './building.ts'
import { loadCopied } from './copied-table.ts'
import { type Load, loadTable, measureImport } from './measure-import.ts'
import { type Engine, PACKAGES, type References, startReferences } from './references.ts'

interface Numbers {
  readonly objects: number
  readonly rounds: number
  /** Requests of each side in each round. */
  readonly times: number
}

type Side = 'service' | 'writing' | Engine
/** Milliseconds of one question. */
type Times = Readonly<Partial<Record<Side, number>>>
type Answers = readonly (readonly [Question, Times])[]

/** A side is asked no more in a round after this long. */
const ROUND_MS = 400
const WRITTEN_PER_SECOND = 200
const WRITE_EVERY_MS = 100
/** A question may take so many times as long as the fastest of some engines, and 5 ms more. */
const ALLOWED = {
  aggregation: { factor: 2, engines: ['duckdb', 'sqlite'] },
  page: { factor: 2, engines: ['sqlite', 'duckdb'] },
  text: { factor: 1, engines: ['sqlite'] },
} as const
const ALLOWED_MS = 5
/** The goal of texts, which is not judged. */
const TANTIVY_FACTOR = 2
const WRITING_FACTOR = 1.5
/** The import against sqlite3. */
const RATE_LIMIT = 0.8
const BYTES_LIMIT = 1.1
/** The import against COPY with the same indexes after the rows. */
const COPY_RATE_LIMIT = 0.6

export const answers: Part<Numbers> = {
  about: `What must know all matches: counts, groups, first pages and text searches, against sqlite3 with FTS5,
DuckDB and tantivy; and the import of the same file, against sqlite3, on PostgreSQL against COPY with
the same indexes after the rows. Needs Python 3.8 or newer with
venv. The packages ${PACKAGES} are installed for the run. --venv names an environment that has them
(python3 -m venv FOLDER && FOLDER/bin/pip install ${PACKAGES}); without them, only sqlite3 is compared.
With --alone, nothing is compared, which 10,000,000 objects need: about 20 minutes and 20 GB.
With --writing, the same again while ${WRITTEN_PER_SECOND} objects per second are written. With --building, only the import
and what reads and single writes cost while columns are built. About 15 minutes and 4 GB.`,
  full: { objects: 1_000_000, rounds: 5, times: 5 },
  quick: { objects: 20_000, rounds: 2, times: 3 },
  async run({ bench, numbers, store: storeName, texts, print }) {
    const { objects } = numbers
    const { file, ...own } = await importItems(bench, objects)
    const { service } = own
    if (texts['building'] !== undefined) {
      await service[Symbol.asyncDispose]()
      print(`## ${storeName}, ${count(objects)} objects of ${PROPERTIES} properties`)
      return nameMarks(storeName, await measureBuilding(bench, own.store, objects, print))
    }
    // Right after the load that they are compared with, because the speed of a machine changes.
    const copied =
      storeName === 'PostgreSQL'
        ? [await loadCopied(await bench.createStore('copied'), file, bench.databasePid)]
        : []
    const references =
      texts['alone'] === undefined
        ? await startReferences(bench, file, texts['venv'])
        : { loads: [], engines: [], run: () => Promise.reject(new Error('no engine is loaded')) }
    print(`## ${storeName}, ${count(objects)} objects of ${PROPERTIES} properties`)
    print(toMarkdown(loadTable(objects, [own, ...copied, ...references.loads])))
    print('CPU and bytes are per object. DuckDB has no indexes, tantivy only the texts.')
    const builtBytes = await untilBuilt(service)
    let times = await measureAnswers(service, numbers, references)
    if (texts['writing'] !== undefined) {
      await using _ = startWriting(service, objects)
      const others = new Map(await measureAnswers(service, numbers))
      times = times.map(([question, quiet]) => {
        const writing = others.get(question)?.service ?? Number.NaN
        return [question, { ...quiet, writing }] as const
      })
    }
    print(toMarkdown(answerTable(times)))
    const perValue = show(builtBytes / objects / PROPERTIES) || 'no'
    const memory = count(privateMegabytes(service.pid))
    print(`Columns: ${perValue} bytes per object and property. Private memory: ${memory} MB.`)
    const loadMarks =
      storeName === 'SQLite' ? marksOfLoad(own, references.loads) : marksOfCopy(own, copied)
    return nameMarks(storeName, [...loadMarks, ...marksOf(times)])
  },
}

/** Imports a file of objects into a new store: from a file, objects are loaded, and not added one by one. */
export async function importItems(bench: Workbench, objects: number) {
  showProgress(`writing a file of ${count(objects)} objects`)
  const file = join(bench.folder, 'items.csv')
  await writeFile(file, itemLines(objects))
  const source = { file, type: ITEM_TYPE, settings: NO_CACHE }
  return { file, ...(await measureImport(bench, source)) }
}

function nameMarks(storeName: string, marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark) => ({ ...mark, name: `${storeName}: ${mark.name}` }))
}

function marksOfLoad(own: Load, loads: readonly Load[]): readonly Mark[] {
  const plain = loads.find(({ name }) => name === 'sqlite')
  if (plain === undefined) return []
  return [
    atLeast(RATE_LIMIT, 'import / sqlite3, objects per second', plain.seconds / own.seconds),
    atMost(BYTES_LIMIT, 'import / sqlite3, bytes', own.bytes / plain.bytes),
  ]
}

function marksOfCopy(own: Load, copied: readonly Load[]): readonly Mark[] {
  return copied.map(({ seconds }) =>
    atLeast(
      COPY_RATE_LIMIT,
      'import / COPY and indexes, objects per second',
      seconds / own.seconds,
    ),
  )
}

/** Waits until the columns of the objects are built, and returns their bytes; NaN if they are not. */
export async function untilBuilt(service: Service): Promise<number> {
  showProgress('waiting for the columns')
  // The first question may start it. The database may need too long for its answer.
  await sendOnce(service, GROUPS.call)
  return await columnBytes(service)
}

/** Asks all sides each question in turn, after a first time that compares what they answer. */
async function measureAnswers(
  service: Service,
  { rounds, times }: Numbers,
  references?: References,
): Promise<Answers> {
  using connection = await Connection.open(service)
  const answered: [Question, Times][] = []
  for (const question of QUESTIONS) {
    const { name, call, statements } = question
    showProgress(`measuring: ${name}`)
    const expected = readFigures(await connection.read(call))
    const ask = new Map<Side, (times: number) => Promise<readonly number[]>>([
      ['service', (times) => repeat(times, () => connection.drain(call))],
    ])
    for (const engine of references?.engines ?? []) {
      const own = statements[engine]
      if (references === undefined || own === undefined) continue
      const { figures } = await references.run(engine, own, 1, ROUND_MS)
      if (!areEqual(expected, figures)) {
        throw new Error(`${engine} and the service answer "${name}" differently.`)
      }
      ask.set(engine, async (times) => (await references.run(engine, own, times, ROUND_MS)).ms)
    }
    const ms = new Map([...ask.keys()].map((side) => [side, [] as number[]]))
    for (let round = 0; round < rounds; round += 1) {
      for (const [side, repeated] of ask) ms.get(side)?.push(...(await repeated(times)))
    }
    const medians = [...ms].map(([side, values]) => [side, median(values)])
    answered.push([question, Object.fromEntries(medians)])
  }
  return answered
}

function areEqual(some: readonly number[], others: readonly number[]): boolean {
  const isSame = some.every((figure, n) => Math.abs(figure - (others[n] ?? Number.NaN)) < 1e-6)
  return isSame && some.length === others.length
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const ms: number[] = []
  const end = performance.now() + ROUND_MS
  for (let now = performance.now(); ms.length < times && now < end; now = performance.now()) {
    await work()
    ms.push(performance.now() - now)
  }
  return ms
}

/** Returns the count of a page, or the metrics of an aggregation in ascending order. */
function readFigures(body: Buffer): readonly number[] {
  const { totalCount, data } = JSON.parse(body.toString())
  if (totalCount !== undefined) return [Number(totalCount)]
  const groups = data as { readonly metrics: readonly { readonly value: number }[] }[]
  return groups.map(({ metrics }) => metrics[0]?.value ?? Number.NaN).sort((a, b) => a - b)
}

/** Replaces objects anywhere among the stored ones until it is disposed. */
function startWriting(service: Service, objects: number): AsyncDisposable {
  let written = 0
  let isDone = false
  const write = async () => {
    for (const started = performance.now(); !isDone; ) {
      const due = started + (written / WRITTEN_PER_SECOND) * 1000
      await sleep(Math.max(0, due - performance.now()))
      const batch = Array.from({ length: (WRITTEN_PER_SECOND * WRITE_EVERY_MS) / 1000 }, () => {
        written += 1
        return { put: makeItem((written * 7_368_787) % objects, written) }
      })
      await writeChanges(service, ITEM_OBJECTS, batch)
    }
  }
  const writing = write()
  return {
    [Symbol.asyncDispose]: () => {
      isDone = true
      return writing
    },
  }
}

/** Returns the milliseconds that an answer may take; NaN without a reference. */
function allowedMs({ kind }: Question, times: Times): number {
  const { factor, engines } = ALLOWED[kind]
  const best = Math.min(...engines.map((engine) => times[engine] ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(best) ? factor * best + ALLOWED_MS : Number.NaN
}

function answerTable(answered: Answers): Table {
  const sides = ['service', 'writing', 'sqlite', 'duckdb', 'tantivy'] as const
  const rows = answered.map(([question, times]) => {
    const allowed = allowedMs(question, times)
    const { service = Number.NaN, tantivy } = times
    const goal = tantivy === undefined ? '' : service / (TANTIVY_FACTOR * tantivy + ALLOWED_MS)
    return [
      question.name,
      ...[...sides.map((side) => times[side] ?? ''), allowed, service / allowed, goal].map(show),
      service > allowed ? 'missed' : '',
    ]
  })
  return [['Median ms', ...sides, 'allowed', '/ allowed', '/ tantivy goal', ''], ...rows]
}

function show(figure: number | string): string {
  return typeof figure === 'string' || Number.isNaN(figure)
    ? ''
    : figure.toFixed(figure < 10 ? 2 : 1)
}

function marksOf(answered: Answers): readonly Mark[] {
  const worst = (values: readonly (number | undefined)[]) =>
    Math.max(...values.map((value) => value ?? Number.NaN))
  const kinds = ['aggregation', 'page', 'text'] as const
  const marks = kinds.map((kind) => {
    const own = answered.filter(([question]) => question.kind === kind)
    const ratios = own.map(([question, times]) => (times.service ?? 0) / allowedMs(question, times))
    return atMost(1, `slowest ${kind} / allowed`, worst(ratios))
  })
  const slowdowns = answered.map(
    ([, { service = 0, writing }]) => (writing ?? Number.NaN) / service,
  )
  marks.push(atMost(WRITING_FACTOR, 'while writing / quiet, worst', worst(slowdowns)))
  return marks
}
