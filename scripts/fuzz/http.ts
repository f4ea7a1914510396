/** Fuzzes the HTTP interface of a service in a process of its own. */
import { writeFileSync } from 'node:fs'
import { readCorpus } from '../../test/fuzz/http/corpus.ts'
import { HttpFuzzer } from '../../test/fuzz/http/fuzz-http.ts'
import { hasEnded } from '../measure/child-process.ts'
import type { Part } from '../measure/command.ts'
import { treeMegabytes } from '../measure/process-stats.ts'
import { count, none, print, showProgress } from '../measure/report.ts'
import { AnswerTally } from './answer-tally.ts'

const SHOWN_FAILURES = 20
const PROGRESS_EVERY = 1000

export const http: Part<{ readonly requests: number; readonly seed: number }> = {
  about: `Requests generated from openapi.json for every operation, most of them changed so that they are
invalid. Every answer must be declared, and none may be a 5xx.`,
  full: { requests: 50_000, seed: 1 },
  quick: { requests: 1000, seed: 1 },
  async run({ bench, numbers: { requests, seed }, texts, store }) {
    const service = await bench.startService()
    const fuzzer = await HttpFuzzer.open({ url: service.url, adminToken: service.token })
    const tally = new AnswerTally()
    let failures = 0
    const fail = (text: string) => {
      failures += 1
      if (failures <= SHOWN_FAILURES) print(text)
    }
    const started = performance.now()
    for (const request of readCorpus()) {
      const { answer, mistake } = await fuzzer.send(request)
      tally.add(request, answer)
      if (mistake !== undefined) fail(`corpus: ${mistake}\n  ${JSON.stringify(request)}`)
    }
    await fuzzer.run({
      seed,
      requests,
      onAnswer(request, answer, own) {
        tally.add(request, answer)
        if ((own - seed) % PROGRESS_EVERY === 0) showProgress(`${store}: ${own - seed} requests`)
      },
      onFailure: ({ seed: own, request, mistake }) =>
        fail(`seed ${own}: ${mistake}\n  ${JSON.stringify(request).slice(0, 2000)}`),
    })
    const seconds = (performance.now() - started) / 1000
    if (hasEnded(service.child)) throw new Error('The service ended.')
    const { status } = await fetch(new URL('/readyz', service.url))
    if (status !== 200) fail(`GET /readyz returns ${status} after the run.`)
    if (texts['collect'] !== undefined) writeFileSync(texts['collect'], tally.toNdjson())
    print(
      `${store}: ${count(tally.count)} requests to ${tally.operations} operations in ${seconds.toFixed(0)} s, ` +
        `${tally.kinds} kinds of answers, ${treeMegabytes(service.pid)} MB at the end`,
    )
    print(tally.describeStatuses())
    return [none(`${store}: failed requests`, failures)]
  },
}
