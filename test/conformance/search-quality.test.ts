/** The queries of docs/reference/text-search.md over the demo: each must find the object that people mean. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadDemoType } from '../../src/server/demo/load-demo.ts'
import { openDemo } from '../../src/server/demo/open-demo.ts'
import { openSources } from '../../src/server/demo/sources.ts'
import { type Service, startService } from '../support/service.ts'

const PAGE = readFileSync(new URL('../../docs/reference/text-search.md', import.meta.url), 'utf8')
const ROW = /^\| [^|]+ \| `(\w+)\.([\w.]+)` \| `(\w+)`(, fuzzy)? \| `([^|]+)` \| `(\w+)` \|$/gm
const [PLAIN = '', WITH_LANGUAGE = ''] = PAGE.split('### With a language')
const [QUERIES, STEMMED_QUERIES] = [queriesIn(PLAIN), queriesIn(WITH_LANGUAGE)]
const REQUIRED = 57

function queriesIn(page: string) {
  return [...page.matchAll(ROW)].map(([, type, field, condition, fuzzy, value, first]) => ({
    type,
    where: {
      type: condition,
      ...fieldOf(String(field)),
      value,
      ...(fuzzy === undefined ? {} : { fuzzy: true }),
    },
    first,
  }))
}

function fieldOf(written: string): object {
  const [property, structField] = written.split('.')
  if (structField === undefined) return { field: property }
  return {
    propertyIdentifier: {
      type: 'structField',
      propertyApiName: property,
      structFieldApiName: structField,
    },
  }
}

describe('search quality', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    const { store } = service
    await openDemo(store)
    const load = { store, sources: openSources(), signal: new AbortController().signal }
    for (const name of ['country', 'airport']) {
      await loadDemoType(name, { ...load, onBatch: () => {} })
    }
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function findMissed(queries: typeof QUERIES): Promise<string[]> {
    const missed: string[] = []
    for (const { type, where, first } of queries) {
      const path = `/api/v2/ontologies/aviation/objects/${type}/search`
      const orderBy = { orderType: 'relevance' }
      const { body } = await service.send(path, { json: { where, orderBy, pageSize: 1 } })
      const found = body.data?.[0]?.__primaryKey
      if (found !== first) missed.push(`${JSON.stringify(where)}: ${found}, not ${first}`)
    }
    return missed
  }

  it(`finds at least ${REQUIRED} of 60 objects first`, async ({ annotate }) => {
    expect(QUERIES).toHaveLength(60)
    const missed = await findMissed(QUERIES)
    const score = `${QUERIES.length - missed.length} of ${QUERIES.length}`
    await annotate([score, ...missed].join('\n'))
    expect(QUERIES.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(REQUIRED)
  })

  it('finds plurals by the language of a property, and still all other objects', async () => {
    const { body: definition } = await service.send('/api/admin/v1/ontologies/aviation')
    for (const { properties } of definition.objectTypes) {
      for (const name of ['name', 'officialName']) {
        if (properties[name] !== undefined) properties[name].language = 'english'
      }
    }
    expect((await service.apply(definition)).status).toBe(200)
    expect(STEMMED_QUERIES).toHaveLength(20)
    expect(await findMissed(STEMMED_QUERIES)).toEqual([])
    const missed = await findMissed(QUERIES)
    expect(QUERIES.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(REQUIRED)
  })
})
