/** Fuzzes the HTTP interface of a service in a process of its own. */
import { writeFileSync } from 'node:fs'
import { readCorpus } from '../../test/fuzz/http/corpus.ts'
import { HttpFuzzer } from '../../test/fuzz/http/fuzz-http.ts'
import type { StoreName } from '../measure/command-line.ts'
import { treeMegabytes } from '../measure/process-stats.ts'
import { print, showProgress } from '../measure/progress.ts'
import { hasEnded } from '../measure/server.ts'
import { startService } from '../measure/service.ts'
import { openStores, type Workspace } from '../measure/workspace.ts'
import { AnswerTally } from './answer-tally.ts'

export interface HttpRun {
  readonly seed: number
  readonly requests: number
  /** A file for one request of each kind of answer. */
  readonly collect: string | undefined
}

const SHOWN_FAILURES = 20
const PROGRESS_EVERY = 1000

/** Returns whether every answer was declared, and the process survived. */
export async function fuzzHttp(
  workspace: Workspace,
  store: StoreName,
  { seed, requests, collect }: HttpRun,
): Promise<boolean> {
  await using stores = await openStores(store, workspace)
  await using service = await startService(workspace, { store: await stores.create('fuzz') })
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
  if (hasEnded(service.child)) fail('The service ended.')
  else {
    const { status } = await fetch(new URL('/readyz', service.url))
    if (status !== 200) fail(`GET /readyz returns ${status} after the run.`)
  }
  if (collect !== undefined) writeFileSync(collect, tally.toNdjson())
  const memory = Math.round(treeMegabytes(service.pid) ?? 0)
  print(
    `${store}: ${tally.count.toLocaleString('en')} requests to ${tally.operations} operations in ${seconds.toFixed(0)} s, ` +
      `${tally.kinds} kinds of answers, ${failures} failures, ${memory} MB at the end`,
  )
  print(tally.describeStatuses())
  return failures === 0
}
