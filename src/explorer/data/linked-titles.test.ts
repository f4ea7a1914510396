import { expect, it } from 'vitest'
import type { ApiRequest, ApiResponse } from '../api/call.ts'
import { LinkedTitles, titleIn } from './linked-titles.ts'
import type { OntologyDefinition } from '../api/ontology.ts'

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

function answer(...records: readonly object[]): ApiResponse {
  const bytes = new TextEncoder().encode(JSON.stringify({ data: records }))
  return { status: 200, bytes, headers: new Headers(), durationMs: 1, receivedAtMs: 0 }
}

it('asks once for each key, and tells its listeners', async () => {
  const requests: ApiRequest[] = []
  const titles = new LinkedTitles(async (request) => {
    requests.push(request)
    return answer({ __primaryKey: 1, __title: 'Brass Works' })
  }, ontology)
  let calls = 0
  titles.subscribe(() => {
    calls += 1
  })
  await titles.ask([one, two, one, { type: 'unknown', key: '1' }])
  await titles.ask([one, two])
  expect(requests.map(({ body }) => body)).toEqual([
    expect.objectContaining({ where: { type: 'in', field: 'number', value: [1, 2] } }),
  ])
  expect(calls).toBe(1)
  expect(titleIn(titles.getTitles(), one)).toBe('Brass Works')
  expect(titleIn(titles.getTitles(), two)).toBeUndefined()
})

it('asks again for what failed', async () => {
  let isDown = true
  const titles = new LinkedTitles(async () => {
    if (isDown) throw new Error('down')
    return answer({ __primaryKey: 1, __title: 'Brass Works' })
  }, ontology)
  await titles.ask([one])
  expect(titleIn(titles.getTitles(), one)).toBeUndefined()
  isDown = false
  await titles.ask([one])
  expect(titleIn(titles.getTitles(), one)).toBe('Brass Works')
})
