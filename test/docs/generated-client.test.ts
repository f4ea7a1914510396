/** Generates a TypeScript client from `openapi.json`, compiles it, and calls the service with it. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REVISION_1_QUERIES } from '../../src/query/parse/revision-1-query-language.ts'
import { REVISION_2_QUERIES } from '../../src/query/parse/revision-2-query-language.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  skipLibCheck: true,
  outDir: 'out',
  rootDir: '.',
}

/** Compiles only if each query is allowed, or rejected where an error is expected. */
const QUERIES = `
import type { Api, Revision1Query, Revision2Query } from './client'

export const allowed1: Revision1Query[] = [
  { type: 'eq', field: 'properties.n', value: 5 },
  { type: 'isNull', field: 'properties.n', value: true },
  { type: 'contains', field: 'properties.aliases', value: 'x' },
  { type: 'prefix', field: 'properties.name', value: 'zur' },
  { type: 'allTerms', field: 'properties.name', value: 'a b', fuzzy: true },
  { type: 'not', value: { type: 'or', value: [{ type: 'lt', field: 'properties.n', value: '5' }] } },
]
export const allowed2: Revision2Query[] = [
  { type: 'empty' },
  { type: 'gte', field: 'n', value: 5 },
  { type: 'keyword', query: 'text' },
  { type: 'geoPointWithin', polygon: [{ longitude: 1, latitude: 2 }] },
  { type: 'and', value: [{ type: 'empty' }] },
]
export const rejected: object[] = [
  // @ts-expect-error: an unknown query type
  { type: 'nope' } satisfies Revision1Query,
  // @ts-expect-error: an unknown query type
  { type: 'nope' } satisfies Revision2Query,
  // @ts-expect-error: a query type of the other revision
  { type: 'empty' } satisfies Revision1Query,
  // @ts-expect-error: a query type of the other revision
  { type: 'isNull', field: 'n', value: true } satisfies Revision2Query,
  // @ts-expect-error: a missing member
  { type: 'eq', field: 'properties.n' } satisfies Revision1Query,
  // @ts-expect-error: a member of another query type
  { type: 'phrase', field: 'properties.name', value: 'x', fuzzy: true } satisfies Revision1Query,
  // @ts-expect-error: an unknown query type inside a query
  { type: 'not', value: { type: 'nope' } } satisfies Revision1Query,
]

export async function search({ api }: Api<unknown>): Promise<void> {
  const query = { type: 'eq', field: 'properties.n', value: 5 } as const
  await api.searchObjects('family', 'number', { query: { type: 'empty' }, pageSize: 5 })
  await api.searchObjectsRevision1('numbers', 'number', { query })
  await api.aggregateObjects('numbers', 'number', { query, aggregation: [{ type: 'count' }] })
  const filters = { 'properties.n.lt': '5', 'properties.name.eq': ['a', 'b'] }
  await api.listObjects('numbers', 'number', { pageSize: 5, filters })
  // @ts-expect-error: an unknown query type
  await api.searchObjects('family', 'number', { query: { type: 'nope' } })
  // @ts-expect-error: an unknown query type
  await api.searchObjectsRevision1('numbers', 'number', { query: { type: 'nope' } })
  const aggregation = [{ type: 'count' as const }]
  // @ts-expect-error: an unknown query type
  await api.aggregateObjects('numbers', 'number', { query: { type: 'nope' }, aggregation })
  // @ts-expect-error: an unknown metric
  await api.aggregateObjects('numbers', 'number', { aggregation: [{ type: 'median' }] })
  // @ts-expect-error: a filter is text
  await api.listObjects('numbers', 'number', { filters: { 'p.n.lt': 5 } })
}
`

describe('a generated client', () => {
  let service: Service
  let folder: TempFolder
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(10))
    folder = tempFolder()
    const { body: spec } = await service.send('/openapi.json', { token: null })
    await generateApi({ spec, output: folder.path, fileName: 'client.ts', silent: true })
    writeFileSync(join(folder.path, 'queries.ts'), QUERIES)
    const config = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}')
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it('compiles with known queries only, and pages through objects', async () => {
    const compiler = resolve('node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder.path], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, ''])

    const { Api } = await import(pathToFileURL(join(folder.path, 'out/client.js')).href)
    const client = new Api({
      baseUrl: service.url,
      baseApiParams: { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, format: 'json' },
    })
    const query = { type: 'gte', field: 'n', value: 4 }
    const pages: number[][] = []
    let pageToken: string | undefined
    do {
      const { data } = await client.api.searchObjects('family', 'number', {
        query,
        pageSize: 4,
        pageToken,
      })
      pages.push(data.data.map((one: { properties: { n: number } }) => one.properties.n))
      pageToken = data.nextPageToken
    } while (pageToken !== undefined)
    expect(pages).toEqual([
      [4, 5, 6, 7],
      [8, 9],
    ])
  })

  it.each([
    ['Revision1Query', REVISION_1_QUERIES],
    ['Revision2Query', REVISION_2_QUERIES],
  ])('knows the types and members of %s that the parser knows', async (name, { types }) => {
    const { body } = await service.send('/openapi.json', { token: null })
    const { schemas } = body.components
    const documented = Object.entries<string>(schemas[name].discriminator.mapping).map(
      ([type, reference]) => {
        const { properties } = schemas[reference.split('/').at(-1) ?? '']
        const { const: only, enum: types = [only] } = properties.type
        expect(types).toContain(type)
        return [type, Object.keys(properties).filter((member) => member !== 'type')] as const
      },
    )
    const parsed = [...types].map(([type, { members }]) => [type, [...members]] as const)
    const byType = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
      a < b ? -1 : 1
    expect(documented.toSorted(byType)).toEqual(parsed.toSorted(byType))
  })
})
