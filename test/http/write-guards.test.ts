import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'

/** Operations that are sent with POST and write nothing. */
const READS = new Set([
  'aggregateInterfaceObjects',
  'aggregateObjectSet',
  'aggregateObjects',
  'aggregateObjectsBatch',
  'aggregateObjectsV2',
  'countObjects',
  'getActionTypesByRidV2',
  'getObjectTypesByRid',
  'loadLinks',
  'loadObjectSetChanges',
  'loadObjects',
  'loadObjectsMultipleObjectTypes',
  'loadObjectsOrInterfaces',
  'mcp',
  'searchInterfaceObjects',
  'searchObjectChangesV2',
  'searchObjects',
  'searchObjectsRevision1',
  'searchObjectsV2',
  'sliceObjects',
  'validateAction',
])

interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
}

const VALUES: Readonly<Record<string, string>> = {
  ontology: 'numbers',
  objectType: 'number',
  primaryKey: '1',
  policy: 'readers',
  actionType: 'create-number',
}

const VIEW = { name: 'all', address: '/number' }

/** Bodies of the requests whose preconditions are checked after their bodies. */
const BODIES: Readonly<Record<string, SendOptions>> = {
  applyOntology: { json: NUMBERS },
  putObject: { json: { n: 1 } },
  patchObject: { json: { text: 'changed' } },
  savePolicy: { json: { rights: [] } },
  replaceSavedView: { json: VIEW },
}

describe('every endpoint that is not a GET', () => {
  let service: Service
  let operations: readonly Operation[]
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', [{ n: 1 }])
    await service.send('/api/admin/v1/policies/readers', { method: 'PUT', json: { rights: [] } })
    const saved = await service.send('/api/admin/v1/ontologies/numbers/views', { json: VIEW })
    operations = await readOperations({ ...VALUES, view: saved.body.id })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function readOperations(
    values: Readonly<Record<string, string>>,
  ): Promise<readonly Operation[]> {
    const { body } = await service.send('/openapi.json', { token: null })
    return Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods as object)
        .filter(([method]) => method !== 'get')
        .map(([method, { operationId, parameters = [] }]) => ({
          operationId,
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x'),
          headers: parameters
            .filter((parameter: { in: string }) => parameter.in === 'header')
            .map(({ name }: { name: string }) => name),
        })),
    )
  }

  const send = ({ operationId, method, path }: Operation, headers: Record<string, string>) =>
    service.send(path, { ...BODIES[operationId], method, headers })

  /** Returns the operations whose answer to a header is not that of a refusal. */
  async function accepting(header: string, value: string): Promise<string[]> {
    const accepted: string[] = []
    for (const operation of operations) {
      const { status, body } = await send(operation, { [header]: value })
      const text = JSON.stringify(body ?? '').toLowerCase()
      const isRefused = status === 400 && text.includes(header) && text.includes('not supported')
      if (!isRefused) accepted.push(operation.operationId)
    }
    return accepted
  }

  const reads = () => operations.map(({ operationId }) => operationId).filter((id) => READS.has(id))
  const documented = (header: string) =>
    operations.filter(({ headers }) => headers.includes(header)).map((one) => one.operationId)

  it('[4.4.1] honours If-Match and If-None-Match, or refuses them', async () => {
    for (const [header, value] of [
      ['if-match', '"stale"'],
      ['if-none-match', '*'],
    ] as const) {
      const expected = [...documented(header), ...reads()]
      expect((await accepting(header, value)).toSorted()).toEqual(expected.toSorted())
    }
    expect(documented('if-match').toSorted()).toEqual([
      'applyOntology',
      'deleteObject',
      'deleteObjectType',
      'deleteOntology',
      'deletePolicy',
      'deleteSavedView',
      'patchObject',
      'putObject',
      'replaceSavedView',
      'savePolicy',
    ])
  })

  it('writes nothing if the tag in If-Match is another one', async () => {
    for (const operation of operations.filter(({ headers }) => headers.includes('if-match'))) {
      const { status } = await send(operation, { 'if-match': '"stale"' })
      expect([operation.operationId, status]).toEqual([operation.operationId, 412])
    }
  })

  it('honours Idempotency-Key, or refuses it', async () => {
    const header = 'idempotency-key'
    const expected = [...documented(header), ...reads()]
    expect((await accepting(header, 'not a key')).toSorted()).toEqual(expected.toSorted())
  })

  it('refuses If-Unmodified-Since, unless it has no effect beside If-Match', async () => {
    const date = 'Tue, 15 Nov 1994 12:45:26 GMT'
    expect((await accepting('if-unmodified-since', date)).toSorted()).toEqual(reads().toSorted())
    const put = operations.find(({ operationId }) => operationId === 'putObject') as Operation
    const { status } = await send(put, { 'if-unmodified-since': date, 'if-match': '*' })
    expect(status).toBe(200)
  })
})
