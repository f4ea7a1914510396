import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { NUMBERS } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'
import { walkPages } from '../support/walk.ts'

/** Random writes of every kind leave the objects that a simple model predicts. */

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

type Model = Map<number, string | undefined>

const n = fc.integer({ min: 0, max: 5 })
const text = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined })
/** Which entity tag a write requires: none, that of the current object, or another one. */
const condition = fc.constantFrom('none', 'match', 'noMatch', 'stale', 'absent')

const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), n, text, condition }),
  fc.record({ kind: fc.constant('patch' as const), n, text, condition }),
  fc.record({ kind: fc.constant('delete' as const), n, condition }),
  fc.record({ kind: fc.constant('batch' as const), put: fc.array(fc.tuple(n, text)), remove: n }),
  fc.record({ kind: fc.constant('deleteByQuery' as const), from: n }),
  fc.record({ kind: fc.constant('create' as const), n, text }),
  fc.record({ kind: fc.constant('modify' as const), n, text }),
  fc.record({ kind: fc.constant('remove' as const), n }),
)
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never
type Condition = typeof condition extends fc.Arbitrary<infer C> ? C : never

let ontologies = 0

it('equal a model, whatever their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
      ontologies += 1
      const ontology = `numbers${ontologies}`
      const { families: _, ...definition } = NUMBERS
      await service.apply({ ...definition, apiName: ontology })
      const model: Model = new Map()
      for (const [index, one] of writes.entries()) {
        const expected = applyTo(model, one)
        const { path, options } = await requestOf(ontology, one)
        const headers = { ...options.headers, 'idempotency-key': `${ontology}-${index}` }
        const { status } = await service.send(path, { ...options, headers })
        expect([one, status]).toEqual([one, expected])
        const again = await service.send(path, { ...options, headers })
        // What succeeded is repeated; what failed is tried again, and fails again.
        expect([one, again.status]).toEqual([one, expected])
      }
      const pages = await walkPages(service, { revision: '1.0', ontology, objectType: 'number' })
      const stored = pages.flatMap(({ data }) => data.map(({ properties }) => properties))
      const sorted = [...model].toSorted(([a], [b]) => a - b)
      expect(stored).toEqual(sorted.map(([key, value]) => objectOf(key, value)))
    }),
    fcOptions(20, 8),
  )
})

function objectOf(key: number, value: string | undefined): object {
  return value === undefined ? { n: key } : { n: key, text: value }
}

/** Applies a write to the model, and returns the status that the service must send. */
function applyTo(model: Model, one: Write): number {
  switch (one.kind) {
    case 'batch':
      model.delete(one.remove)
      for (const [key, value] of one.put) model.set(key, value)
      return 200
    case 'deleteByQuery':
      for (const key of [...model.keys()]) if (key >= one.from) model.delete(key)
      return 200
    case 'put': {
      const exists = model.has(one.n)
      if (!holds(one.condition, exists)) return 412
      model.set(one.n, one.text)
      return exists ? 200 : 201
    }
    case 'patch':
    case 'delete':
      if (!holds(one.condition, model.has(one.n))) return 412
      if (!model.has(one.n)) return 404
      if (one.kind === 'delete') model.delete(one.n)
      else if (one.text !== undefined) model.set(one.n, one.text)
      return 200
    case 'create':
      if (model.has(one.n)) return 409
      model.set(one.n, one.text)
      return 200
    case 'modify':
    case 'remove':
      if (!model.has(one.n)) return 404
      if (one.kind === 'remove') model.delete(one.n)
      else model.set(one.n, one.text)
      return 200
  }
}

function holds(required: Condition, exists: boolean): boolean {
  switch (required) {
    case 'none':
      return true
    case 'match':
      return exists
    case 'noMatch':
    case 'absent':
      return !exists
    case 'stale':
      return false
  }
}

async function requestOf(
  ontology: string,
  one: Write,
): Promise<{ readonly path: string; readonly options: SendOptions }> {
  const objects = `/api/admin/v1/ontologies/${ontology}/objects/number`
  const action = (name: string) => `/api/v2/ontologies/${ontology}/actions/${name}-number/apply`
  switch (one.kind) {
    case 'put':
    case 'patch':
    case 'delete': {
      const headers = await headersOf(ontology, one)
      const options = { method: one.kind.toUpperCase(), headers, ...bodyOf(one) }
      return { path: `${objects}/${one.n}`, options }
    }
    case 'batch': {
      const lines = [
        { delete: one.remove },
        ...one.put.map(([key, value]) => ({ put: objectOf(key, value) })),
      ]
      const headers = { 'content-type': 'application/x-ndjson' }
      const body = lines.map((line) => JSON.stringify(line)).join('\n')
      return { path: objects, options: { method: 'POST', headers, body } }
    }
    case 'deleteByQuery': {
      const query = { type: 'gte', field: 'properties.n', value: one.from }
      return { path: `${objects}/deleteByQuery`, options: { json: { query } } }
    }
    case 'create':
      return {
        path: action('create'),
        options: { json: { parameters: objectOf(one.n, one.text) } },
      }
    case 'modify': {
      const parameters = { objectToModifyParameter: one.n, text: one.text ?? null }
      return { path: action('modify'), options: { json: { parameters } } }
    }
    case 'remove': {
      const parameters = { objectToDeleteParameter: one.n }
      return { path: action('delete'), options: { json: { parameters } } }
    }
  }
}

function bodyOf(one: Extract<Write, { condition: Condition }>): SendOptions {
  if (one.kind === 'delete') return {}
  const changed = one.text === undefined ? {} : { text: one.text }
  return { json: one.kind === 'put' ? { n: one.n, ...changed } : changed }
}

async function headersOf(
  ontology: string,
  { n: key, condition: required }: Extract<Write, { condition: Condition }>,
): Promise<Record<string, string>> {
  const { headers } = await service.send(`/api/v1/ontologies/${ontology}/objects/number/${key}`)
  const etag = headers.get('etag') ?? '"missing"'
  const conditions: Readonly<Record<Condition, Record<string, string>>> = {
    none: {},
    match: { 'if-match': etag },
    noMatch: { 'if-none-match': etag === '"missing"' ? '*' : etag },
    stale: { 'if-match': '"stale"' },
    absent: { 'if-none-match': '*' },
  }
  return conditions[required]
}
