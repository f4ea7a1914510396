/** Sends random requests, reads damaged files and opens changed page tokens; see the help. */
import { readCorpus } from '../test/fuzz/http/corpus.ts'
import { HttpFuzzer } from '../test/fuzz/http/fuzz-http.ts'
import type { FuzzRequest } from '../test/fuzz/http/fuzz-request.ts'
import type { Answer, NoAnswer } from '../test/fuzz/http/send-request.ts'
import { Random } from '../test/fuzz/random.ts'
import {
  damagedFiles,
  fileOfSeed,
  ReaderFuzzer,
  realFiles,
} from '../test/fuzz/readers/fuzz-readers.ts'
import { openChangedTokens, sealTokens } from '../test/fuzz/tokens/fuzz-tokens.ts'
import { mutateToken } from '../test/fuzz/tokens/mutate-token.ts'
import { ADMIN_TOKEN } from '../test/support/service.ts'
import { type Part, runCommand } from './measure/command.ts'
import { Connection } from './measure/connection.ts'
import { findToken, listPages } from './measure/pages.ts'
import { DEFINITION, define, makePart, PART_OBJECTS, writeChanges } from './measure/parts.ts'
import { privateMegabytes } from './measure/processes.ts'
import { count, none, print, showProgress } from './measure/report.ts'

const SHOWN_FAILURES = 20
const PROGRESS_EVERY = 1000
/** One changed token in this many is also sent to a service. */
const SENT_EVERY = 100

/** Counts failures, prints the first ones, and measures the time. */
class Failures {
  readonly #started = performance.now()
  count = 0

  add(text: string): void {
    this.count += 1
    if (this.count <= SHOWN_FAILURES) print(text)
  }

  get seconds(): string {
    return ((performance.now() - this.#started) / 1000).toFixed(0)
  }
}

const http: Part<{ readonly requests: number; readonly seed: number }> = {
  about: `Requests generated from openapi.json for every operation, most of them changed so that they are
invalid. Every answer must be declared, and none may be a 5xx.`,
  full: { requests: 50_000, seed: 1 },
  quick: { requests: 1000, seed: 1 },
  async run({ bench, numbers: { requests, seed }, store }) {
    const service = await bench.startService()
    const fuzzer = await HttpFuzzer.open({ url: service.url, adminToken: ADMIN_TOKEN })
    const failures = new Failures()
    const statuses = new Map<string, number>()
    const operations = new Set<string>()
    const tally = (request: FuzzRequest, answer: Answer | NoAnswer) => {
      const status = typeof answer === 'string' ? answer : String(answer.status)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      operations.add(request.operation)
    }
    for (const request of readCorpus()) {
      const { answer, mistake } = await fuzzer.send(request)
      tally(request, answer)
      if (mistake !== undefined) failures.add(`corpus: ${mistake}\n  ${JSON.stringify(request)}`)
    }
    await fuzzer.run({
      seed,
      requests,
      onAnswer(request, answer, own) {
        tally(request, answer)
        if ((own - seed) % PROGRESS_EVERY === 0) showProgress(`${store}: ${own - seed} requests`)
      },
      onFailure: ({ seed: own, request, mistake }) =>
        failures.add(`seed ${own}: ${mistake}\n  ${JSON.stringify(request).slice(0, 2000)}`),
    })
    const { seconds } = failures
    const { status } = await fetch(new URL('/readyz', service.url))
    if (status !== 200) failures.add(`GET /readyz returns ${status} after the run.`)
    const sorted = [...statuses].toSorted(([a], [b]) => a.localeCompare(b))
    const total = sorted.reduce((sum, [, times]) => sum + times, 0)
    print(
      `${store}: ${count(total)} requests to ${operations.size} operations in ${seconds} s, ` +
        `${privateMegabytes(service.pid)} MB at the end`,
    )
    print(sorted.map(([name, times]) => `${count(times)} × ${name}`).join(', '))
    return [none(`${store}: failed requests`, failures.count)]
  },
}

const tokens: Part<{ readonly tokens: number; readonly seed: number }> = {
  about: `Changed page tokens, opened in this process, and every hundredth sent to a service. None may be
accepted.`,
  full: { tokens: 1_000_000, seed: 1 },
  quick: { tokens: 10_000, seed: 1 },
  async run({ bench, numbers, store }) {
    showProgress(`opening ${count(numbers.tokens)} page tokens`)
    const failures = new Failures()
    const range = { seed: numbers.seed, count: numbers.tokens }
    openChangedTokens(sealTokens(), range, ({ seed, token, mistake }) =>
      failures.add(`seed ${seed}: ${mistake}: ${token}`),
    )
    const { seconds } = failures
    const service = await bench.startService()
    await define(service, DEFINITION)
    const changes = Array.from({ length: 100 }, (_, n) => ({ put: makePart(n, 0) }))
    await writeChanges(service, PART_OBJECTS, changes)
    using connection = await Connection.open(service)
    const real: string[] = []
    for (const parameters of [{}, { snapshot: 'true' }, { orderBy: 'properties.name' }]) {
      real.push(findToken(await connection.read(listPages(parameters)(2))) ?? '')
    }
    let sent = 0
    for (let seed = numbers.seed; sent < numbers.tokens / SENT_EVERY; seed += 1) {
      const random = new Random(seed)
      const token = mutateToken(random.pick(real), real, random)
      if (real.includes(token)) continue
      sent += 1
      const { status, body } = await connection.send(listPages()(2, token), Infinity)
      const { errorName } = JSON.parse(body.toString()) as { readonly errorName?: string }
      if (status !== 400 || errorName !== 'InvalidPageToken') {
        failures.add(`seed ${seed}: status ${status} ${errorName}: ${token}`)
      }
    }
    print(
      `Page tokens: ${count(numbers.tokens)} changed tokens opened in ${seconds} s, and ${count(sent)} sent to the service`,
    )
    return [none(`${store}: accepted page tokens`, failures.count)]
  },
}

const readers: Part<{ readonly files: number; readonly seed: number }> = {
  about: `Damaged Parquet files, compressed files and archives. Each must give rows or an error that names
the problem, in limited time and memory.`,
  full: { files: 20_000, seed: 1 },
  quick: { files: 500, seed: 1 },
  stores: ['SQLite'],
  async run({ numbers: { files, seed } }) {
    await using fuzzer = new ReaderFuzzer()
    const originals = realFiles()
    const failures = new Failures()
    let [readable, longestMs] = [0, 0]
    const read = async (file: (typeof originals)[number], name: string) => {
      const before = performance.now()
      const { result, mistake } = await fuzzer.read(file)
      longestMs = Math.max(longestMs, performance.now() - before)
      if (result !== undefined && 'rows' in result) readable += 1
      if (mistake !== undefined) failures.add(`${name}, ${file.name}: ${mistake}`)
    }
    for (const file of damagedFiles()) await read(file, 'corpus')
    for (let own = seed; own < seed + files; own += 1) {
      if ((own - seed) % PROGRESS_EVERY === 0) showProgress(`readers: ${own - seed} files`)
      await read(fileOfSeed(own, originals), `seed ${own}`)
    }
    const peak = Math.round(process.resourceUsage().maxRSS / 1024)
    print(
      `Readers: ${count(files)} damaged files in ${failures.seconds} s, ${count(readable)} still readable, ` +
        `at most ${longestMs.toFixed(0)} ms for a file, ${peak} MB of memory`,
    )
    return [none('files handled badly', failures.count)]
  },
}

await runCommand({
  name: 'fuzz',
  about: `Tries random input. Each case has a seed; a failure prints it, and --only PART --seed SEED with a
count of 1 tries it again. The kept inputs in test/fuzz/corpus are tried first.`,
  parts: { http, tokens, readers },
})
