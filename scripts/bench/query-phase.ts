import { type Call, readBody } from './http-client.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY } from './objects.ts'
import type { PageCase, Phase } from './phases.ts'
import type { MeasuredProcess } from './processes.ts'
import { listPages } from './walk.ts'

/** Questions that an index answers, beside a plain page of the same size. */

const PAGE_SIZE = 100
const QUERY_AT_MOST = 5

export async function queryPhase(service: MeasuredProcess): Promise<Phase> {
  const plain = queryCase(service, 'plain listing', listPages(PAGE_SIZE, 'default')(undefined))
  const cases = [
    queryCase(
      service,
      'equality, one in seven',
      search({ type: 'eq', field: 'category', value: 'rotor' }),
    ),
    queryCase(service, 'range, in key order', search({ type: 'gt', field: 'weight', value: 600 })),
    queryCase(service, 'range, few matches', search({ type: 'lt', field: 'weight', value: 0.25 })),
    await secondPage(service, 'range, in its own order', list('p.weight.gte=600&orderBy=p.weight')),
    queryCase(
      service,
      'prefix, few matches',
      search1({ type: 'prefix', field: 'properties.name', value: 'rotor 2s' }),
    ),
    queryCase(service, 'keyword, few matches', search({ type: 'keyword', query: 'rotor 2s1' })),
    queryCase(service, 'order, no condition', list('orderBy=p.changedAt:desc')),
    queryCase(service, 'three properties', list('properties=name,category,weight')),
  ]
  return {
    title: 'Questions',
    cases: [plain, ...cases],
    comparisons: cases.map((of) => ({ of, to: plain, atMost: QUERY_AT_MOST })),
  }
}

function queryCase(server: MeasuredProcess, kind: string, call: Call): PageCase {
  return { kind, page: 1, pageSize: PAGE_SIZE, server, call, begins: undefined }
}

/** The first page of a listing with conditions counts all matches; the others do not. */
async function secondPage(server: MeasuredProcess, kind: string, call: Call): Promise<PageCase> {
  const first = JSON.parse((await readBody(server, call)).toString()) as { nextPageToken: string }
  const next = { ...call, path: `${call.path}&pageToken=${first.nextPageToken}` }
  return { ...queryCase(server, kind, next), page: 2 }
}

function search(query: object): Call {
  return {
    method: 'POST',
    path: `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
    contentType: 'application/json',
    body: JSON.stringify({ query, pageSize: PAGE_SIZE }),
  }
}

function search1(query: object): Call {
  return {
    method: 'POST',
    path: `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}/search`,
    contentType: 'application/json',
    body: JSON.stringify({ query, pageSize: PAGE_SIZE }),
  }
}

function list(parameters: string): Call {
  const path = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`
  return { method: 'GET', path: `${path}?pageSize=${PAGE_SIZE}&${parameters}` }
}
