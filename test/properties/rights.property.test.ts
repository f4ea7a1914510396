/**
 * Random policies, callers and requests. What a limited caller gets from a service must be what an
 * unlimited caller gets from a second one that contains only what the policies allow: the same
 * records, pages, counts, groups and errors.
 *
 * `FC_RUNS=40 OQS_TEST_REQUESTS=250` sends 10,000 requests.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { limitedCallers } from '../support/rights-arbitraries.ts'
import { type ReadRequest, readRequests } from '../support/rights-requests.ts'
import {
  type ModelPolicy,
  OBJECTS,
  type VisibleWorld,
  visibleWorld,
  WORLD,
} from '../support/rights-world.ts'
import { ADMIN_TOKEN, type Service, startService, type TestResponse } from '../support/service.ts'

const REQUESTS_PER_CALLER = Number(process.env['OQS_TEST_REQUESTS'] ?? 50)
const MAX_PAGES = 60
/** Only ends what hangs: many requests take long on a busy machine. */
const HANGS_AFTER_MS = 7_200_000

let whole: Service
let part: Service
let rids: readonly string[]

beforeAll(async () => {
  ;[whole, part] = await Promise.all([startService(), startService()])
  await fill(whole, { definition: WORLD, objects: OBJECTS })
  const listed = await Promise.all(
    [...OBJECTS.keys()].map((type) => whole.send(`/api/v1/ontologies/company/objects/${type}`)),
  )
  rids = listed.flatMap(({ body }) => body.data.map(({ rid }: { rid: string }) => rid))
})
afterAll(async () => {
  await whole[Symbol.asyncDispose]()
  await part[Symbol.asyncDispose]()
})

async function fill(service: Service, { definition, objects }: VisibleWorld): Promise<void> {
  expect(await service.apply(definition)).toMatchObject({ status: 200 })
  for (const [type, rows] of objects) {
    if (rows.length > 0)
      expect(await service.put('company', type, rows)).toMatchObject({ status: 200 })
  }
}

async function savePolicy(name: string, policy: ModelPolicy): Promise<void> {
  const rights = policy.map(({ objectType, where, hide }) => ({
    ontology: 'company',
    objectType,
    access: 'read',
    ...(where === undefined ? {} : { where }),
    ...(hide.length === 0 ? {} : { hide }),
  }))
  const path = `/api/admin/v1/policies/${name}`
  const saved = await whole.send(path, { method: 'PUT', json: { rights } })
  expect([saved.status, saved.body]).toMatchObject([200, {}])
}

it('a limited caller gets what a service without the hidden parts returns', {
  timeout: HANGS_AFTER_MS,
}, async () => {
  const cases = limitedCallers.chain((caller) =>
    fc.record({
      caller: fc.constant(caller),
      requests: fc.array(readRequests(rids), {
        minLength: REQUESTS_PER_CALLER,
        maxLength: REQUESTS_PER_CALLER,
      }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ({ caller, requests }) => {
      const names = caller.policies.map((_, index) => `p${index}`)
      for (const [index, policy] of caller.policies.entries()) {
        await savePolicy(`p${index}`, policy)
      }
      const token = await whole.createToken({
        name: caller.name,
        scopes: ['api:ontologies-read', 'api:ontologies-write'],
        policies: names,
      })
      await part.send('/api/admin/v1/ontologies/company?cascade=true', { method: 'DELETE' })
      const visible = visibleWorld(caller.policies, caller.name)
      if (visible !== undefined) await fill(part, visible)
      for (const request of requests) {
        const [limited, expected] = await Promise.all([
          walk(whole, token, request),
          walk(part, ADMIN_TOKEN, request),
        ])
        expect({ request, answers: limited }).toEqual({ request, answers: expected })
      }
    }),
    { ...fcOptions(4, 3), endOnFailure: true },
  )
})

/** Sends a request, and reads all further pages if it is a walk. */
async function walk(service: Service, token: string, request: ReadRequest): Promise<unknown[]> {
  const answers: unknown[] = []
  let pageToken: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await service.send(pathOf(request, pageToken), {
      method: request.method,
      token,
      ...(request.body && { json: { ...request.body, ...(pageToken && { pageToken }) } }),
    })
    answers.push(await comparable(service, answer))
    pageToken = answer.body?.nextPageToken
    if (!request.walks || typeof pageToken !== 'string') return answers
  }
  throw new Error('the walk does not end')
}

function pathOf({ method, path }: ReadRequest, pageToken: string | undefined): string {
  if (method === 'POST' || pageToken === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}pageToken=${pageToken}`
}

/** Returns an answer without what differs between any two services. */
async function comparable(service: Service, { status, body, text }: TestResponse) {
  if (body === undefined) return { status, text: text.replace(/("version":|version )\d+/, '$1') }
  const { nextPageToken, nextChangesToken, errorInstanceId, ...rest } = body
  // Only who may write can apply actions.
  const { actionTypes: _types, actionTypesFullMetadata: _full, ...shown } = rest
  if (typeof rest.path === 'string' && rest.path.startsWith('/api/admin/v1/downloads/')) {
    const download = await service.send(rest.path, { token: null })
    return { status, text: download.text.replace(/("version":|version )\d+/, '$1') }
  }
  const json = JSON.stringify(shown)
    .replaceAll(/temporary-object-set\.[0-9a-f-]+/g, 'temporary-object-set')
    .replaceAll(/"version":\d+/g, '"version"')
  return {
    status,
    json,
    hasMore: nextPageToken !== undefined,
    canBeFollowed: nextChangesToken !== undefined,
    isError: errorInstanceId !== undefined,
  }
}
