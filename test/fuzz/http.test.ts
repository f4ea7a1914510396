import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { readCorpus } from './http/corpus.ts'
import { type Failure, HttpFuzzer } from './http/fuzz-http.ts'

/** `npm run fuzz` sends tens of thousands. */
const REQUESTS = 400

let service: Service
let fuzzer: HttpFuzzer
beforeAll(async () => {
  service = await startService()
  fuzzer = await HttpFuzzer.open({ url: new URL(service.url), adminToken: ADMIN_TOKEN })
})
afterAll(() => service[Symbol.asyncDispose]())

it('every kept request gets an answer that openapi.json declares', async () => {
  const failures: string[] = []
  for (const request of readCorpus()) {
    const { mistake } = await fuzzer.send(request)
    if (mistake !== undefined) failures.push(`${mistake} ${JSON.stringify(request)}`)
  }
  expect(failures).toEqual([])
})

it('so does every generated request', async () => {
  const failures: Failure[] = []
  const statuses = new Set<number>()
  await fuzzer.run({
    seed: 1,
    requests: REQUESTS,
    onAnswer: (_, answer) => typeof answer === 'string' || statuses.add(answer.status),
    onFailure: (failure) => failures.push(failure),
  })
  expect(failures).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415, 422]))
})
