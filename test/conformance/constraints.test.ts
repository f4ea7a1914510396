/** Definitions that guard their data: constraints, required values, value types and defaults. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const SCORE = { type: 'range', minimumValue: 0, maximumValue: 100 }
const PROPERTIES = {
  id: { type: 'string', default: { type: 'uniqueIdentifier' } },
  email: { type: 'string', valueType: 'email', required: true },
  tier: {
    type: 'string',
    default: { type: 'staticValue', value: 'basic' },
    constraints: [{ type: 'enum', options: ['basic', 'gold'] }],
  },
  score: { type: 'integer', constraints: [SCORE] },
  tags: {
    type: 'array',
    items: { type: 'string' },
    constraints: [
      {
        type: 'array',
        maximumSize: 3,
        uniqueValues: true,
        valueConstraint: { type: 'length', maximumLength: 5 },
      },
    ],
  },
  since: { type: 'timestamp', default: { type: 'currentTime' } },
  day: { type: 'date', default: { type: 'currentTime' } },
  owner: { type: 'string', default: { type: 'currentUser' } },
}
const EMAIL = {
  apiName: 'email',
  displayName: 'E-mail',
  baseType: { type: 'string' },
  constraints: [
    { type: 'regex', pattern: '[^@ ]+@[^@ ]+' },
    { type: 'length', maximumLength: 30 },
  ],
}

function definition(properties: object = PROPERTIES, apiName = 'shop') {
  const customer = { apiName: 'customer', primaryKey: 'id', titleProperty: 'id', properties }
  return { apiName, families: [apiName], valueTypes: [EMAIL], objectTypes: [customer] } as never
}

const OBJECTS = '/api/admin/v1/ontologies/shop/objects/customer'
const ndjson = { 'content-type': 'application/x-ndjson' }

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(definition())
})
afterAll(() => service[Symbol.asyncDispose]())

const batch = (lines: readonly object[], query = '') =>
  service.send(OBJECTS + query, {
    method: 'POST',
    headers: ndjson,
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
const put = (id: string, body: object) =>
  service.send(`${OBJECTS}/${id}`, { method: 'PUT', json: body })
const patch = (id: string, body: object) =>
  service.send(`${OBJECTS}/${id}`, { method: 'PATCH', json: body })
const apply = (action: string, parameters: object) =>
  service.send(`/api/v2/ontologies/shop/actions/${action}/apply`, {
    method: 'POST',
    json: { parameters },
  })
async function stored(id: string) {
  const { status, body } = await service.send(
    `/api/v2/ontologies/shop/objects/customer/${id}?excludeRid=true`,
  )
  return status === 200 ? body : undefined
}

const violation = (property: string, constraint: string, more: object = {}) => ({
  objectType: 'customer',
  property,
  constraint,
  reason: expect.any(String),
  ...more,
})

describe('a value that violates a constraint', () => {
  const invalid = { email: 'ada', tier: 'silver', score: 101, tags: ['a', 'a'] }
  const violations = (more: object) => [
    violation('email', 'regex', more),
    violation('tier', 'enum', more),
    violation('score', 'range', more),
    violation('tags[1]', 'array', more),
  ]

  it('is refused in a batch, with its line, and nothing is written', async () => {
    const good = { put: { id: 'good', email: 'a@b' } }
    const { status, body } = await batch([good, { put: { id: 'bad', ...invalid } }])
    expect([status, body.errorName]).toEqual([400, 'ConstraintViolated'])
    expect(body.parameters).toMatchObject({
      violations: violations({ primaryKey: 'bad', line: 2 }),
      violationCount: 4,
    })
    expect(JSON.stringify(body.parameters)).not.toMatch(/silver|101/)
    expect(await stored('good')).toBeUndefined()
  })

  it('is refused in a batch of any size, which lists the first violations', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => ({
      put: { id: `n${n}`, email: n % 60 === 0 ? 'none' : `${n}@b`, owner: 'x'.repeat(20) },
    }))
    const { body } = await batch(lines)
    expect(body.errorName).toBe('ConstraintViolated')
    expect(body.parameters.violationCount).toBe(50)
    expect(body.parameters.violations).toHaveLength(20)
    expect(await stored('n1')).toBeUndefined()
  })

  it('is reported after values that have the wrong type', async () => {
    const lines = [{ put: { id: 'a', email: 'ada' } }, { put: { id: 'b', email: 5 } }]
    const { body } = await batch(lines)
    expect(body.errorName).toBe('InvalidBatchLine')
    expect(body.parameters.refused).toHaveLength(2)
  })

  it.each([
    ['a single object', () => put('bad', invalid), 'bad'],
    ['an action that creates', () => apply('create-customer', { id: 'bad', ...invalid }), 'bad'],
  ])('is refused in %s', async (_, write, primaryKey) => {
    const { status, body } = await write()
    expect([status, body.errorName]).toEqual([400, 'ConstraintViolated'])
    expect(body.parameters).toMatchObject({ violations: violations({ primaryKey }) })
    expect(await stored('bad')).toBeUndefined()
  })

  it('is refused where an object is changed', async () => {
    expect((await put('ada', { email: 'ada@b', score: 1 })).status).toBe(201)
    const refused = { status: 400, body: { errorName: 'ConstraintViolated' } }
    expect(await patch('ada', { score: 200 })).toMatchObject(refused)
    expect(await patch('ada', { email: null })).toMatchObject(refused)
    const modify = { objectToModifyParameter: 'ada', tier: 'silver' }
    expect(await apply('modify-customer', modify)).toMatchObject(refused)
    const merge = (value: object) => batch([{ put: { id: 'ada', ...value } }], '?mode=merge')
    expect(await merge({ score: -1 })).toMatchObject(refused)
    expect(await merge({ email: null })).toMatchObject(refused)
    expect((await merge({ score: 7 })).status).toBe(200)
    expect(await stored('ada')).toMatchObject({ email: 'ada@b', score: 7, tier: 'basic' })
  })

  it('is refused in a transaction of a source', async () => {
    const lines = [
      { objectType: 'customer' },
      { put: { id: 'synced', email: 'none' } },
      { commit: '1' },
    ]
    const path = '/api/admin/v1/ontologies/shop/transactions/pg'
    const { status, body } = await service.send(path, {
      method: 'POST',
      headers: ndjson,
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect([status, body.errorName]).toEqual([400, 'ConstraintViolated'])
    expect(await stored('synced')).toBeUndefined()
  })

  it('makes the validation of an action invalid', async () => {
    const { body } = await service.send('/api/v2/ontologies/shop/actions/create-customer/apply', {
      method: 'POST',
      json: { parameters: { ...invalid }, options: { mode: 'VALIDATE_ONLY' } },
    })
    expect(body.validation.result).toBe('INVALID')
    const { parameters } = body.validation
    const results = Object.entries(parameters as Record<string, { result: string }>)
    expect(results.filter(([, { result }]) => result === 'INVALID').map(([name]) => name)).toEqual([
      'email',
      'tier',
      'score',
      'tags',
    ])
    expect(parameters.email.required).toBe(true)
    expect(parameters.id.required).toBe(false)
  })
})

describe('a default', () => {
  it('applies where an object is written without the value', async () => {
    expect((await put('grace', { email: 'grace@b' })).status).toBe(201)
    const { __primaryKey, ...grace } = (await stored('grace')) as Record<string, string>
    const { body: me } = await service.send('/api/admin/v1/me')
    expect(grace).toMatchObject({ tier: 'basic', owner: expect.any(String) })
    expect(me.name).toEqual(expect.any(String))
    expect(grace['since']?.slice(0, 10)).toBe(grace['day'])
    expect(Math.abs(Date.parse(grace['since'] ?? '') - Date.now())).toBeLessThan(86_400_000)
  })

  it('makes keys that differ', async () => {
    const lines = Array.from({ length: 5 }, (_, n) => ({ put: { email: `${n}@keys`, score: 42 } }))
    expect((await batch(lines)).body.put).toBe(5)
    const { body } = await service.send('/api/v2/ontologies/shop/objects/customer/search', {
      method: 'POST',
      json: { where: { type: 'eq', field: 'score', value: 42 } },
    })
    const keys = body.data.map(({ id }: { id: string }) => id)
    expect(new Set(keys).size).toBe(5)
    for (const key of keys) expect(key).toMatch(UUID)
  })

  it('does not bring back a value that a change removes', async () => {
    await put('hedy', { email: 'h@b', tier: 'gold' })
    expect((await patch('hedy', { tier: null })).status).toBe(200)
    expect(await stored('hedy')).not.toHaveProperty('tier')
    await batch([{ put: { id: 'hedy', score: 3 } }], '?mode=merge')
    expect(await stored('hedy')).not.toHaveProperty('tier')
  })

  it('applies to an object that a merge creates', async () => {
    const { status } = await batch([{ put: { id: 'ida', email: 'i@b' } }], '?mode=merge')
    expect(status).toBe(200)
    expect(await stored('ida')).toMatchObject({ tier: 'basic' })
  })
})

describe('a definition that gets constraints', () => {
  const apply = (apiName: string, properties: object, query = '') =>
    service.send(`/api/admin/v1/ontologies/${apiName}${query}`, {
      method: 'PUT',
      json: definition(properties, apiName),
    })
  const PLAIN = { id: { type: 'string' }, score: { type: 'integer' }, name: { type: 'string' } }
  const LIMITED = { ...PLAIN, score: { type: 'integer', constraints: [SCORE] } }

  it('is refused, with the objects that violate them, and then accepted', async () => {
    await apply('guarded', PLAIN)
    const objects = Array.from({ length: 30 }, (_, n) => ({
      id: `o${n}`,
      score: 90 + n,
      name: 'x',
    }))
    await service.put('guarded', 'customer', objects)
    const plan = await apply('guarded', LIMITED, '?dryRun=true')
    expect(plan.body.plan ?? plan.body).toMatchObject({
      changes: [{ kind: 'constrained', property: 'score', objects: 30 }],
      unfitCount: 19,
    })
    const refused = await apply('guarded', LIMITED)
    expect([refused.status, refused.body.errorName]).toEqual([409, 'OntologyChangeRefused'])
    expect(refused.body.parameters.unfitObjects).toHaveLength(10)
    expect(refused.body.parameters.unfitObjects[0]).toMatchObject({
      property: 'score',
      reason: 'is above the maximum 100',
    })
    await service.put(
      'guarded',
      'customer',
      objects.map((one) => ({ ...one, score: 5 })),
    )
    expect((await apply('guarded', LIMITED)).status).toBe(200)
    const required = { ...LIMITED, name: { type: 'string', required: true } }
    expect((await apply('guarded', required)).status).toBe(200)
    // Without a constraint, nothing has to be checked.
    const { body } = await apply('guarded', PLAIN, '?dryRun=true')
    expect((body.plan ?? body).rewrittenObjects).toBe(0)
  })
})

describe('the metadata', () => {
  it('describes value types, and the rules of properties', async () => {
    const { body } = await service.send('/api/v2/ontologies/shop/fullMetadata')
    const { properties } = body.objectTypes.customer.objectType
    expect(properties.email).toMatchObject({
      valueTypeApiName: 'email',
      dataConstraints: { nullability: 'NO_EXPLICIT_NULLS', constraints: EMAIL.constraints },
    })
    expect(properties.score.dataConstraints).toEqual({ constraints: [SCORE] })
    expect(properties.since).not.toHaveProperty('dataConstraints')
    expect(body.valueTypes.email).toMatchObject({
      apiName: 'email',
      displayName: 'E-mail',
      fieldType: { type: 'string' },
      constraints: EMAIL.constraints,
    })
    const list = await service.send('/api/v2/ontologies/shop/valueTypes')
    expect(list.body.data).toEqual([body.valueTypes.email])
    const one = await service.send('/api/v2/ontologies/shop/valueTypes/email')
    expect(one.body).toEqual(body.valueTypes.email)
    const none = await service.send('/api/v2/ontologies/shop/valueTypes/phone')
    expect([none.status, none.body.errorName]).toEqual([404, 'ValueTypeNotFound'])
  })
})
