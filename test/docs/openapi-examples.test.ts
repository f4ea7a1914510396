/** Sends every example of `openapi.json` to a service with the demo data. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashSecret } from '../../src/access/credentials.ts'
import { loadDemoType } from '../../src/server/demo/load-demo.ts'
import { openDemo } from '../../src/server/demo/open-demo.ts'
import { openSources } from '../../src/server/demo/sources.ts'
import { createClient } from '../support/oauth.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly required: boolean
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly content: Media }
  readonly responses: Readonly<Record<string, { readonly content: Media }>>
}

type Media = Readonly<Record<string, { readonly example?: unknown }>>

interface Endpoint extends Operation {
  readonly method: string
  readonly path: string
}

/** The examples that need what another one creates come after it. */
const LAST = [
  'deletePolicy',
  'applyOntology',
  'getOntologyDefinition',
  'writeObjects',
  'applyTransactions',
  'reportSource',
  'deleteSourceReport',
  'listAuditRecords',
  'putObject',
  'patchObject',
  'applyAction',
  'applyActionBatch',
  'applyActionV2',
  'applyActionBatchV2',
  'deleteObject',
  'deleteByQuery',
  'startReplacement',
  'createApiToken',
  'listTokens',
  'createClient',
  'listClients',
]
/** Examples with a RID or an id that another one returns. */
const BY_RID = [
  'createSession',
  'endSession',
  'download',
  'getSavedView',
  'replaceSavedView',
  'deleteSavedView',
  'revokeApiToken',
  'revokeClient',
  'getObjectTypesByRid',
  'getObjectSet',
  'getActionTypeByRidV2',
  'getActionTypesByRidV2',
]

describe('the examples of openapi.json', () => {
  let service: Service
  let endpoints: readonly Endpoint[]
  beforeAll(async () => {
    service = await startService({
      settings: { OQS_AUDIT: 'writes' },
      // Tests change definitions in the background, but not their objects.
      rewrittenAtOnceMax: 0,
      isMaintainer: false,
    })
    const { store } = service
    await openDemo(store)
    const load = { store, sources: openSources(), signal: new AbortController().signal }
    for (const name of ['country', 'airport']) {
      await loadDemoType(name, { ...load, onBatch: () => {} })
    }
    const { body } = await service.send('/openapi.json', { token: null })
    endpoints = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    )
    await createExampleClient()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** Creates the OAuth client that the examples name, with the secret that they send. */
  async function createExampleClient(): Promise<void> {
    const { example } = formOf(endpoint('getToken'))
    const { client_id: id = '', client_secret: secret = '' } = example as Record<string, string>
    const created = await createClient(service)
    const { documents } = service.store
    const found = await documents.take('oauthClient', created.id, 0)
    if (found === undefined) throw new Error('the client was not created')
    const body = { ...(found.body as object), secretHash: hashSecret(secret) }
    await documents.put({ ...found, id, body })
  }

  function endpoint(operationId: string): Endpoint {
    const found = endpoints.find((one) => one.operationId === operationId)
    if (found === undefined) throw new Error(`${operationId} is not documented`)
    return found
  }

  async function send(
    operationId: string,
    overrides: object = {},
    requestOf: (example: string) => string = (example) => example,
    options: { readonly headers?: Record<string, string>; readonly token?: string } = {},
  ): Promise<TestResponse> {
    const { method, path, parameters = [], requestBody } = endpoint(operationId)
    const values = new Map<string, unknown>(Object.entries(overrides))
    const query = new URLSearchParams()
    for (const { name, in: where, required, example } of parameters) {
      const value = values.get(name) ?? example
      if (required) expect([operationId, name, value]).not.toContain(undefined)
      if (where === 'path') values.set(name, value)
      else if (typeof value === 'object') {
        for (const [filter, text] of Object.entries(value ?? {})) query.append(filter, text)
      } else if (value !== undefined) query.append(name, String(value))
    }
    const url = path.replaceAll(/{(\w+)}/g, (_, name) => encodeURIComponent(`${values.get(name)}`))
    const [contentType, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
    const body = media?.example
    return service.send(`${url}?${query}`, {
      method: method.toUpperCase(),
      ...options,
      headers: {
        ...options.headers,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(contentType === undefined ? {} : { body: requestOf(encode(contentType, body)) }),
    })
  }

  /** The response has matched its schema, from which the example of the response is made. */
  function expectSuccess(operationId: string, { status, text }: TestResponse): void {
    expect([operationId, status, text]).toEqual([operationId, 200, text])
    const [media] = Object.values(endpoint(operationId).responses['200']?.content ?? {})
    expect([operationId, media?.example]).not.toContain(undefined)
    // All metrics would fill pages, so the example has one of them.
    if (operationId === 'getMetrics') expect(text).toContain(media?.example)
  }

  it('are requests that succeed', async () => {
    const names = endpoints.map(({ operationId }) => operationId)
    const deleting = ['deleteObjectType', 'deleteOntology']
    const inBackground = ['getOntologyChange', 'cancelOntologyChange']
    const replacing = ['publishReplacement', 'abandonReplacement']
    const changing = [...LAST, ...BY_RID, ...deleting, ...inBackground, ...replacing]
    const ordered = [...names.filter((name) => !changing.includes(name)), ...LAST]
    await send('savePolicy')
    for (const name of ordered) expectSuccess(name, await send(name))
    const published = (text: string) => text.replace('"date"', '"string"')
    expect((await send('applyOntology', {}, published)).status).toBe(202)
    for (const name of inBackground) expectSuccess(name, await send(name))
    for (const name of ['abandonReplacement', 'publishReplacement']) {
      const { body } = await send('startReplacement')
      expectSuccess(name, await send(name, { replacement: body.replacement }))
    }
    const { rid } = (await send('getObjectTypeV2')).body
    const withRid = (text: string) => text.replace(/ri\.[^"]+/, rid)
    expectSuccess('getObjectTypesByRid', await send('getObjectTypesByRid', {}, withRid))
    const { objectSetRid } = (await send('createTemporaryObjectSet')).body
    expectSuccess('getObjectSet', await send('getObjectSet', { objectSetRid }))
    const { rid: actionTypeRid } = (await send('getActionTypeV2')).body
    for (const name of ['getActionTypeByRidV2', 'getActionTypesByRidV2']) {
      const withActionRid = (text: string) => text.replace(/ri\.[^"]+/, actionTypeRid)
      expectSuccess(name, await send(name, { actionTypeRid }, withActionRid))
    }
    const { code } = (await send('createSessionCode')).body
    const withCode = () => JSON.stringify({ code })
    const headers = { 'oqs-session': 'explorer' }
    expectSuccess('createSession', await send('createSession', {}, withCode, { headers }))
    const token = await service.createToken({ name: 'revokes itself' })
    expectSuccess('endSession', await send('endSession', {}, undefined, { token }))
    const ticket = (await send('createDownload')).body.path.split('/').at(-1)
    expectSuccess('download', await send('download', { ticket }))
    const { id: view } = (await send('createSavedView')).body
    for (const name of ['getSavedView', 'replaceSavedView', 'deleteSavedView']) {
      expectSuccess(name, await send(name, { view }))
    }
    for (const [create, revoke] of [
      ['createApiToken', 'revokeApiToken'],
      ['createClient', 'revokeClient'],
    ] as const) {
      const { id } = (await send(create)).body
      expectSuccess(revoke, await send(revoke, { id }))
    }
    for (const name of deleting) expectSuccess(name, await send(name))
    const others = [...BY_RID, ...deleting, ...inBackground, ...replacing]
    expect(ordered.length + others.length).toBe(names.length)
  })
})

function formOf({ requestBody }: Endpoint): { readonly example?: unknown } {
  return requestBody?.content['application/x-www-form-urlencoded'] ?? {}
}

function encode(contentType: string, body: unknown): string {
  if (typeof body === 'string') return body
  return contentType.endsWith('json')
    ? JSON.stringify(body)
    : new URLSearchParams(body as Record<string, string>).toString()
}
