import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

describe('openapi.json', () => {
  let service: Service
  // biome-ignore lint/suspicious/noExplicitAny: the document is the thing under test
  let document: any
  beforeAll(async () => {
    service = await startService()
    document = (await service.ask('/openapi.json', { token: null })).body
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('[4.4.1] describes every endpoint, and there is no other', () => {
    expect(document.openapi).toBe('3.1.0')
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    )
    expect(endpoints.toSorted()).toEqual([
      'get /api/admin/v1/ontologies/{ontology}',
      'get /api/v1/ontologies',
      'get /api/v1/ontologies/{ontology}',
      'get /api/v1/ontologies/{ontology}/objectTypes',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes/{linkType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}/{linkedObjectPrimaryKey}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}/links/{linkType}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}/properties',
      'get /healthz',
      'get /readyz',
      'post /api/admin/v1/ontologies/{ontology}/objects/{objectType}',
      'post /api/v1/ontologies/{ontology}/objects/{objectType}/aggregate',
      'post /api/v1/ontologies/{ontology}/objects/{objectType}/search',
      'post /api/{apiFamily}/v1/objects/types/{objectType}/search',
      'put /api/admin/v1/ontologies/{ontology}',
    ])
  })

  it('says what the endpoints take: the schemas that validate', () => {
    const list = document.paths['/api/v1/ontologies/{ontology}/objects/{objectType}'].get
    const pageSize = list.parameters.find(
      (parameter: { name: string }) => parameter.name === 'pageSize',
    )
    expect(pageSize).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1 } })
    const search = document.paths['/api/{apiFamily}/v1/objects/types/{objectType}/search'].post
    const body = search.requestBody.content['application/json'].schema
    expect(body.required).toEqual(['query'])
    expect(body.additionalProperties).toBe(false)
    for (const endpoint of [list, search]) {
      expect(Object.keys(endpoint.responses)).toEqual(['200', '4XX', '5XX'])
    }
  })

  it('asks for a bearer token wherever one is needed', () => {
    expect(document.security).toEqual([{ bearer: [] }])
    expect(document.components.securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' })
    expect(document.paths['/healthz'].get.security).toEqual([])
  })

  it('has a page that shows it, with nothing from elsewhere', async () => {
    const page = await service.ask('/docs/', { token: null })
    expect(page.text).toContain('/openapi.json')
    expect(page.text).not.toMatch(/(?:src|href)="https?:/)
    const script = await service.ask('/docs/js/scalar.js', { token: null })
    expect(script.status).toBe(200)
  })
})
