import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../api/ontology.ts'
import { Service } from '../api/service.ts'
import { LinkedTitles, titleIn } from './linked-titles.ts'

const ontology: OntologyDefinition = {
  apiName: 'shop',
  rid: 'ri.shop',
  objectTypes: [
    {
      apiName: 'maker',
      rid: 'ri.maker',
      primaryKey: 'number',
      titleProperty: 'name',
      properties: { number: { type: 'integer' }, name: { type: 'string' } },
    },
  ],
}
const one = { type: 'maker', key: '1' }
const two = { type: 'maker', key: '2' }

const BRASS_WORKS = { __primaryKey: 1, __title: 'Brass Works' }

function connect(answer: (body: object) => Response): Service {
  return new Service({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: async (_, init) => answer(JSON.parse(String(init?.body)) as object),
  })
}

it('asks once for each key, and tells its listeners', async () => {
  const bodies: object[] = []
  const service = connect((body) => {
    bodies.push(body)
    return Response.json({ data: [BRASS_WORKS] })
  })
  const titles = new LinkedTitles(service, ontology)
  let calls = 0
  titles.titles.subscribe(() => {
    calls += 1
  })
  await titles.ask([one, two, one, { type: 'unknown', key: '1' }])
  await titles.ask([one, two])
  expect(bodies).toEqual([
    expect.objectContaining({ where: { type: 'in', field: 'number', value: [1, 2] } }),
  ])
  expect(calls).toBe(1)
  expect(titleIn(titles.titles.get(), one)).toBe('Brass Works')
  expect(titleIn(titles.titles.get(), two)).toBeUndefined()
})

it('asks again for what failed', async () => {
  let isDown = true
  const service = connect(() =>
    isDown ? new Response('down', { status: 500 }) : Response.json({ data: [BRASS_WORKS] }),
  )
  const titles = new LinkedTitles(service, ontology)
  await titles.ask([one])
  expect(titleIn(titles.titles.get(), one)).toBeUndefined()
  isDown = false
  await titles.ask([one])
  expect(titleIn(titles.titles.get(), one)).toBe('Brass Works')
})
