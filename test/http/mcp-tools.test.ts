/** What agents can do by the tools of `/mcp`, and what policies hide from them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Agent, connectAgent } from '../support/agent.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const LAB: OntologyDefinition = {
  apiName: 'lab',
  displayName: 'Laboratory',
  objectTypes: [
    {
      apiName: 'sample',
      description: 'What was found where.',
      primaryKey: 'id',
      titleProperty: 'note',
      properties: {
        id: { type: 'string' },
        owner: { type: 'string' },
        secret: { type: 'string', description: 'Known to few.' },
        note: { type: 'string' },
        weight: { type: 'integer' },
        found: { type: 'geopoint' },
        taken: { type: 'date' },
        tags: { type: 'array', items: { type: 'string' } },
        box: { type: 'struct', fields: { shelf: { type: 'string' }, row: { type: 'integer' } } },
        roomId: { type: 'string' },
      },
    },
    {
      apiName: 'room',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
    },
    {
      apiName: 'vault',
      description: 'Nobody may know.',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, sampleId: { type: 'string' } },
    },
  ],
  linkTypes: [
    {
      apiName: 'room',
      reverseApiName: 'samples',
      from: 'sample',
      to: 'room',
      foreignKey: 'roomId',
    },
    {
      apiName: 'sample',
      reverseApiName: 'vaults',
      from: 'vault',
      to: 'sample',
      foreignKey: 'sampleId',
    },
  ],
}

const LONG_NOTE = `${'granite '.repeat(500)}end`

const SAMPLES = Array.from({ length: 30 }, (_, n) => ({
  id: `s${String(n).padStart(2, '0')}`,
  owner: n % 2 === 0 ? 'ada' : 'bob',
  secret: `hidden ${n % 2 === 0 ? 'even' : 'odd'}`,
  note: n === 4 ? LONG_NOTE : `stone ${n}`,
  weight: n,
  found: { type: 'Point', coordinates: [n, 0] },
  taken: `2024-01-${String(n + 1).padStart(2, '0')}`,
  tags: [`t${n % 3}`],
  box: { shelf: `shelf ${n % 2}`, row: n },
  roomId: n % 3 === 0 ? 'r1' : 'r2',
}))

const RIGHTS = [
  {
    ontology: 'lab',
    objectType: 'sample',
    access: 'read',
    where: { type: 'eq', field: 'owner', value: '$caller.name' },
    hide: ['secret'],
  },
  { ontology: 'lab', objectType: 'room', access: 'read' },
]

const SAMPLE = { ontology: 'lab', objectType: 'sample' }

async function startLab(settings = {}): Promise<Service> {
  const service = await startService({ settings })
  await service.apply(LAB)
  await service.put('lab', 'sample', SAMPLES)
  await service.put('lab', 'room', [
    { id: 'r1', name: 'Attic' },
    { id: 'r2', name: 'Cellar' },
  ])
  await service.put('lab', 'vault', [{ id: 'v1', sampleId: 's00' }])
  await service.send('/api/admin/v1/policies/own', { method: 'PUT', json: { rights: RIGHTS } })
  return service
}

describe.each(['legacy', 'modern'] as const)('an agent of the %s revision', (mode) => {
  let service: Service
  let agent: Agent
  beforeAll(async () => {
    service = await startLab()
    agent = await connectAgent(service.url, ADMIN_TOKEN, { mode })
  })
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  it('learns which tools, types, properties, conditions and links there are', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_types',
      'describe_type',
      'search_objects',
      'get_object',
      'follow_link',
      'aggregate_objects',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    expect(agent.client.getInstructions()).toContain('list_types')
    const { objectTypes } = await agent.call('list_types')
    expect(objectTypes.map(({ apiName }: { apiName: string }) => apiName)).toEqual([
      'sample',
      'room',
      'vault',
    ])
    const described = await agent.call('describe_type', SAMPLE)
    expect(described).toMatchObject({ primaryKey: 'id', titleProperty: 'note' })
    expect(described.properties).toContainEqual({
      name: 'secret',
      type: 'string',
      description: 'Known to few.',
    })
    expect(described.links).toEqual([
      { name: 'room', objectType: 'room', cardinality: 'ONE' },
      { name: 'vaults', objectType: 'vault', cardinality: 'MANY' },
    ])
  })

  it('finds by words and conditions, and reads on', async () => {
    const search = { ...SAMPLE, words: 'stone', where: { type: 'lt', field: 'weight', value: 15 } }
    const first = await agent.call('search_objects', search)
    expect(first.total).toBe(14)
    expect(first.objects).toHaveLength(10)
    const second = await agent.call('search_objects', { ...search, cursor: first.cursor })
    expect(second.cursor).toBeUndefined()
    const found = [...first.objects, ...second.objects].map(({ id }) => id)
    expect(found.toSorted()).toEqual(
      SAMPLES.filter(({ weight }) => weight < 15 && weight !== 4).map(({ id }) => id),
    )
    const ordered = { ...SAMPLE, orderBy: [{ property: 'weight', direction: 'desc' }], limit: 2 }
    const { objects } = await agent.call('search_objects', { ...ordered, select: ['weight'] })
    expect(objects).toEqual([
      { __primaryKey: 's29', __title: 'stone 29', id: 's29', weight: 29 },
      { __primaryKey: 's28', __title: 'stone 28', id: 's28', weight: 28 },
    ])
  })

  it('finds words in all texts, those of titles first', async () => {
    await service.put('lab', 'room', [
      { id: 'cellar', name: 'Box room' },
      { id: 'r2', name: 'Cellar' },
    ])
    const rooms = { ontology: 'lab', objectType: 'room', words: 'cellar' }
    const { objects, total } = await agent.call('search_objects', rooms)
    expect([total, objects.map(({ id }: { id: string }) => id)]).toEqual([2, ['r2', 'cellar']])
    await service.write('lab', 'room', [{ delete: 'cellar' }])
  })

  it('gets an object, at first with long texts cut, then whole', async () => {
    const key = { ...SAMPLE, primaryKey: 's04', select: ['note'] }
    const { object, notes } = await agent.call('get_object', key)
    expect(object.note).toMatch(/granite… \[cut: 2000 of 4003 characters\]$|\[cut: 2000 of 4003/)
    expect(notes.join()).toContain('"textLength": 4003')
    const whole = await agent.call('get_object', { ...key, textLength: 4003 })
    expect(whole.object.note).toBe(LONG_NOTE)
    expect(whole.notes).toBeUndefined()
    const { objects } = await agent.call('search_objects', { ...SAMPLE, words: 'granite' })
    expect(objects[0].note.length).toBeLessThan(250)
  })

  it('follows links in both directions, page by page', async () => {
    const room = await agent.call('follow_link', { ...SAMPLE, primaryKey: 's01', link: 'room' })
    expect(room).toMatchObject({ objectType: 'room', objects: [{ id: 'r2', name: 'Cellar' }] })
    const back = { ontology: 'lab', objectType: 'room', primaryKey: 'r2', link: 'samples' }
    const first = await agent.call('follow_link', { ...back, limit: 15 })
    const second = await agent.call('follow_link', { ...back, limit: 15, cursor: first.cursor })
    expect([...first.objects, ...second.objects]).toHaveLength(20)
  })

  it('counts and groups', async () => {
    const all = await agent.call('aggregate_objects', SAMPLE)
    expect(all).toEqual({ groups: [{ metrics: { count: 30 } }] })
    const grouped = await agent.call('aggregate_objects', {
      ...SAMPLE,
      where: { type: 'gte', field: 'weight', value: 10 },
      aggregation: [{ type: 'sum', field: 'weight', name: 'total' }, { type: 'count' }],
      groupBy: [{ type: 'exact', field: 'owner' }],
    })
    expect(grouped.groups).toEqual([
      { group: { owner: 'ada' }, metrics: { total: 190, count: 10 } },
      { group: { owner: 'bob' }, metrics: { total: 200, count: 10 } },
    ])
    const many = await agent.call('aggregate_objects', {
      ...SAMPLE,
      groupBy: [{ type: 'exact', field: 'weight' }],
      limit: 5,
    })
    expect(many.groups).toHaveLength(5)
    expect(many.notes.join()).toContain('25 more groups')
  })

  it('is told by errors what to do', async () => {
    expect(await agent.fail('drop_table')).toContain('the tools are list_types')
    expect(await agent.fail('get_object', SAMPLE)).toContain('primaryKey')
    expect(await agent.fail('search_objects', { ...SAMPLE, limt: 3 })).toContain('limt')
    expect(await agent.fail('describe_type', { ontology: 'no', objectType: 'sample' })).toMatch(
      /^OntologyNotFound: .*list_types/,
    )
    const weighed = { type: 'eq', field: 'wieght', value: 1 }
    expect(await agent.fail('search_objects', { ...SAMPLE, where: weighed })).toMatch(
      /^PropertiesNotFound: .*describe_type names the properties.\n.*wieght/s,
    )
    expect(await agent.fail('search_objects', { ...SAMPLE, where: { type: 7 } })).toContain('where')
    expect(await agent.fail('search_objects', { ...SAMPLE, cursor: 'x' })).toMatch(
      /^InvalidPageToken: .*start again without a cursor/,
    )
    expect(
      await agent.fail('aggregate_objects', { ...SAMPLE, aggregation: [{ type: 5 }] }),
    ).toContain('aggregation[0].type')
  })

  it('can use every condition that describe_type lists', async () => {
    const { properties, conditionsByType } = await agent.call('describe_type', SAMPLE)
    const values: Readonly<Record<string, unknown>> = {
      string: 'x',
      integer: 1,
      date: '2024-01-01',
    }
    const point = (longitude: number, latitude: number) => ({
      type: 'Point',
      coordinates: [longitude, latitude],
    })
    const ring = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ]
    const special: Readonly<Record<string, object>> = {
      isNull: { value: true },
      relativeDateRange: {
        relativeStartTime: { type: 'relativePoint', value: -7, timeUnit: 'DAY' },
        timeZoneId: 'UTC',
      },
      withinDistanceOf: {
        value: { center: point(8.5, 47.4), distance: { value: 50, unit: 'KILOMETERS' } },
      },
      withinBoundingBox: { value: { topLeft: point(0, 1), bottomRight: point(1, 0) } },
      withinPolygon: { value: { type: 'Polygon', coordinates: [ring] } },
    }
    let tried = 0
    for (const { name, type } of properties) {
      for (const condition of conditionsByType[type] ?? []) {
        const value = values[type.replace('array of ', '')]
        const members = special[condition] ?? { value: condition === 'in' ? [value] : value }
        const where = { type: condition, field: name, ...members }
        const { total } = await agent.call('search_objects', { ...SAMPLE, where, limit: 1 })
        expect(total).toBeGreaterThanOrEqual(0)
        tried += 1
      }
    }
    expect(tried).toBeGreaterThan(50)
  })
})

describe('an agent with a policy', () => {
  let service: Service
  let agent: Agent
  beforeAll(async () => {
    service = await startLab({ OQS_AUDIT: 'all' })
    const token = await service.createToken({ name: 'ada', policies: ['own'] })
    agent = await connectAgent(service.url, token)
  })
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  it('does not learn of hidden types, properties, links or objects', async () => {
    const answers = [
      await agent.call('list_types'),
      await agent.call('describe_type', SAMPLE),
      await agent.call('search_objects', { ...SAMPLE, select: ['*'], limit: 100 }),
      await agent.call('get_object', { ...SAMPLE, primaryKey: 's00' }),
      await agent.call('follow_link', { ...SAMPLE, primaryKey: 's00', link: 'room' }),
      await agent.call('follow_link', {
        ontology: 'lab',
        objectType: 'room',
        primaryKey: 'r1',
        link: 'samples',
        select: ['*'],
        limit: 100,
      }),
      await agent.call('aggregate_objects', {
        ...SAMPLE,
        groupBy: [{ type: 'exact', field: 'owner' }],
      }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(/secret|hidden|vault|bob|s01/)
    const [, , found] = answers
    expect(found).toMatchObject({ total: 15 })
    expect(answers.at(-1)).toEqual({
      groups: [{ group: { owner: 'ada' }, metrics: { count: 15 } }],
    })
  })

  it('cannot count, find, order or group by what is hidden', async () => {
    expect(await agent.call('search_objects', { ...SAMPLE, words: 'hidden' })).toEqual({
      total: 0,
      objects: [],
    })
    expect((await agent.call('aggregate_objects', { ...SAMPLE, words: 'stone' })).groups).toEqual([
      { metrics: { count: 14 } },
    ])
    const byRoom = {
      type: 'linked',
      link: 'samples',
      where: { type: 'eq', field: 'owner', value: 'bob' },
    }
    const rooms = { ontology: 'lab', objectType: 'room', where: byRoom }
    expect(await agent.call('search_objects', rooms)).toEqual({ total: 0, objects: [] })
  })

  /** The same call for what is hidden and for what does not exist. */
  const PAIRS: readonly (readonly [string, (name: string) => object, string, string])[] = [
    ['get_object', (primaryKey) => ({ ...SAMPLE, primaryKey }), 's01', 's99'],
    ['describe_type', (objectType) => ({ ontology: 'lab', objectType }), 'vault', 'valut'],
    ['search_objects', (name) => ({ ...SAMPLE, select: [name] }), 'secret', 'nosuch'],
    [
      'search_objects',
      (field) => ({ ...SAMPLE, where: { type: 'eq', field, value: 'x' } }),
      'secret',
      'nosuch',
    ],
    ['search_objects', (property) => ({ ...SAMPLE, orderBy: [{ property }] }), 'secret', 'nosuch'],
    [
      'aggregate_objects',
      (field) => ({ ...SAMPLE, groupBy: [{ type: 'exact', field }] }),
      'secret',
      'nosuch',
    ],
    [
      'aggregate_objects',
      (field) => ({ ...SAMPLE, aggregation: [{ type: 'max', field }] }),
      'secret',
      'nosuch',
    ],
    ['follow_link', (link) => ({ ...SAMPLE, primaryKey: 's00', link }), 'vaults', 'nosuch'],
    ['follow_link', (primaryKey) => ({ ...SAMPLE, primaryKey, link: 'room' }), 's01', 's99'],
  ]

  it.each(PAIRS)(
    'cannot tell by errors of %s what is hidden',
    async (tool, args, hidden, missing) => {
      const [first, second] = await Promise.all([
        agent.fail(tool, args(hidden)),
        agent.fail(tool, args(missing)),
      ])
      expect(first.replaceAll(hidden, missing)).toBe(second)
    },
  )

  it('cannot read on with the cursor of another caller', async () => {
    const other = await service.createToken({ name: 'bob', policies: ['own'] })
    await using bob = await connectAgent(service.url, other)
    const { cursor } = await bob.call('search_objects', SAMPLE)
    expect(await agent.fail('search_objects', { ...SAMPLE, cursor })).toMatch(/^InvalidPageToken/)
  })

  it('is audited by tool, with its types, objects and errors', async () => {
    await agent.call('search_objects', SAMPLE)
    await agent.fail('get_object', { ...SAMPLE, primaryKey: 's01' })
    const path = '/api/admin/v1/audit?operation='
    await expect
      .poll(async () => (await service.send(`${path}mcp.get_object`)).body.data[0])
      .toMatchObject({ outcome: 'failure', errorName: 'ObjectNotFound', objectTypes: ['sample'] })
    const { body } = await service.send(`${path}mcp.search_objects`)
    expect(body.data[0]).toMatchObject({
      caller: { name: 'ada' },
      ontology: 'lab',
      objectTypes: ['sample'],
      outcome: 'success',
    })
  })

  it('is refused after its token was revoked', async () => {
    const token = await service.createToken({ name: 'gone', policies: ['own'] })
    await using gone = await connectAgent(service.url, token)
    await gone.call('search_objects', SAMPLE)
    await service.revokeTokens('gone')
    await expect(gone.call('search_objects', SAMPLE)).rejects.toThrow(/REVOKED|401|Unauthorized/)
  })
})
