import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/contract/error-catalogue.ts'
import { type Service, startService } from '../support/service.ts'

describe('openapi.json', () => {
  let service: Service
  // biome-ignore lint/suspicious/noExplicitAny: the document is the thing under test
  let document: any
  beforeAll(async () => {
    service = await startService()
    document = (await service.send('/openapi.json', { token: null })).body
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('[4.4.1] describes every endpoint, and no other', () => {
    expect(document.openapi).toBe('3.1.0')
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    )
    expect(endpoints.toSorted()).toEqual([
      'delete /api/admin/v1/clients/{id}',
      'delete /api/admin/v1/ontologies/{ontology}',
      'delete /api/admin/v1/ontologies/{ontology}/change',
      'delete /api/admin/v1/ontologies/{ontology}/objectTypes/{objectType}',
      'delete /api/admin/v1/ontologies/{ontology}/objects/{objectType}/replacements/{replacement}',
      'delete /api/admin/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'delete /api/admin/v1/ontologies/{ontology}/transactions/{source}/report',
      'delete /api/admin/v1/ontologies/{ontology}/views/{view}',
      'delete /api/admin/v1/policies/{policy}',
      'delete /api/admin/v1/sessions',
      'delete /api/admin/v1/tokens/{id}',
      'get /api/admin/v1/audit',
      'get /api/admin/v1/clients',
      'get /api/admin/v1/downloads/{ticket}',
      'get /api/admin/v1/me',
      'get /api/admin/v1/ontologies/{ontology}',
      'get /api/admin/v1/ontologies/{ontology}/change',
      'get /api/admin/v1/ontologies/{ontology}/counts',
      'get /api/admin/v1/ontologies/{ontology}/objects/{objectType}/export',
      'get /api/admin/v1/ontologies/{ontology}/views',
      'get /api/admin/v1/ontologies/{ontology}/views/{view}',
      'get /api/admin/v1/policies',
      'get /api/admin/v1/policies/{policy}',
      'get /api/admin/v1/status',
      'get /api/admin/v1/tokens',
      'get /api/v1/ontologies',
      'get /api/v1/ontologies/{ontology}',
      'get /api/v1/ontologies/{ontology}/actionTypes',
      'get /api/v1/ontologies/{ontology}/actionTypes/{actionType}',
      'get /api/v1/ontologies/{ontology}/changes/{objectType}',
      'get /api/v1/ontologies/{ontology}/objectTypes',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes',
      'get /api/v1/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes/{linkType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}',
      'get /api/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}/{linkedObjectPrimaryKey}',
      'get /api/v2/admin/users/getCurrent',
      'get /api/v2/ontologies',
      'get /api/v2/ontologies/{ontology}',
      'get /api/v2/ontologies/{ontology}/actionTypes',
      'get /api/v2/ontologies/{ontology}/actionTypes/byRid/{actionTypeRid}',
      'get /api/v2/ontologies/{ontology}/actionTypes/{actionType}',
      'get /api/v2/ontologies/{ontology}/changes/{objectType}',
      'get /api/v2/ontologies/{ontology}/fullMetadata',
      'get /api/v2/ontologies/{ontology}/interfaceTypes',
      'get /api/v2/ontologies/{ontology}/interfaceTypes/{interfaceType}',
      'get /api/v2/ontologies/{ontology}/interfaceTypes/{interfaceType}/outgoingLinkTypes',
      'get /api/v2/ontologies/{ontology}/interfaceTypes/{interfaceType}/outgoingLinkTypes/{interfaceLinkType}',
      'get /api/v2/ontologies/{ontology}/interfaces/{interfaceType}',
      'get /api/v2/ontologies/{ontology}/interfaces/{interfaceType}/{objectType}/{primaryKey}/links/{interfaceLinkType}',
      'get /api/v2/ontologies/{ontology}/objectSets/{objectSetRid}',
      'get /api/v2/ontologies/{ontology}/objectTypes',
      'get /api/v2/ontologies/{ontology}/objectTypes/{objectType}',
      'get /api/v2/ontologies/{ontology}/objectTypes/{objectType}/fullMetadata',
      'get /api/v2/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes',
      'get /api/v2/ontologies/{ontology}/objectTypes/{objectType}/outgoingLinkTypes/{linkType}',
      'get /api/v2/ontologies/{ontology}/objects/{objectType}',
      'get /api/v2/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'get /api/v2/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}',
      'get /api/v2/ontologies/{ontology}/objects/{objectType}/{primaryKey}/links/{linkType}/{linkedObjectPrimaryKey}',
      'get /api/v2/ontologies/{ontology}/queryTypes',
      'get /api/v2/ontologies/{ontology}/valueTypes',
      'get /api/v2/ontologies/{ontology}/valueTypes/{valueType}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}/links/{linkType}',
      'get /api/{apiFamily}/v1/objects/{primaryKey}/properties',
      'get /healthz',
      'get /metrics',
      'get /readyz',
      'patch /api/admin/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'post /api/admin/v1/clients',
      'post /api/admin/v1/downloads',
      'post /api/admin/v1/ontologies/{ontology}/objects/{objectType}',
      'post /api/admin/v1/ontologies/{ontology}/objects/{objectType}/deleteByQuery',
      'post /api/admin/v1/ontologies/{ontology}/objects/{objectType}/replacements',
      'post /api/admin/v1/ontologies/{ontology}/objects/{objectType}/replacements/{replacement}/publish',
      'post /api/admin/v1/ontologies/{ontology}/transactions/{source}',
      'post /api/admin/v1/ontologies/{ontology}/views',
      'post /api/admin/v1/sessions',
      'post /api/admin/v1/sessions/codes',
      'post /api/admin/v1/tokens',
      'post /api/v1/ontologies/{ontology}/actions/{actionType}/apply',
      'post /api/v1/ontologies/{ontology}/actions/{actionType}/applyBatch',
      'post /api/v1/ontologies/{ontology}/actions/{actionType}/validate',
      'post /api/v1/ontologies/{ontology}/objects/{objectType}/aggregate',
      'post /api/v1/ontologies/{ontology}/objects/{objectType}/search',
      'post /api/v2/ontologies/{ontology}/actionTypes/getByRidBatch',
      'post /api/v2/ontologies/{ontology}/actions/{actionType}/apply',
      'post /api/v2/ontologies/{ontology}/actions/{actionType}/applyBatch',
      'post /api/v2/ontologies/{ontology}/changes/{objectType}',
      'post /api/v2/ontologies/{ontology}/interfaces/{interfaceType}/aggregate',
      'post /api/v2/ontologies/{ontology}/interfaces/{interfaceType}/search',
      'post /api/v2/ontologies/{ontology}/objectSets/aggregate',
      'post /api/v2/ontologies/{ontology}/objectSets/changes',
      'post /api/v2/ontologies/{ontology}/objectSets/createTemporary',
      'post /api/v2/ontologies/{ontology}/objectSets/loadLinks',
      'post /api/v2/ontologies/{ontology}/objectSets/loadObjects',
      'post /api/v2/ontologies/{ontology}/objectSets/loadObjectsMultipleObjectTypes',
      'post /api/v2/ontologies/{ontology}/objectSets/loadObjectsOrInterfaces',
      'post /api/v2/ontologies/{ontology}/objectTypes/getByRidBatch',
      'post /api/v2/ontologies/{ontology}/objects/{objectType}/aggregate',
      'post /api/v2/ontologies/{ontology}/objects/{objectType}/aggregateBatch',
      'post /api/v2/ontologies/{ontology}/objects/{objectType}/count',
      'post /api/v2/ontologies/{ontology}/objects/{objectType}/search',
      'post /api/v2/ontologies/{ontology}/slices/{objectType}',
      'post /api/{apiFamily}/v1/objects/types/{objectType}/search',
      'post /mcp',
      'post /multipass/api/oauth2/revoke_token',
      'post /multipass/api/oauth2/token',
      'put /api/admin/v1/ontologies/{ontology}',
      'put /api/admin/v1/ontologies/{ontology}/objects/{objectType}/{primaryKey}',
      'put /api/admin/v1/ontologies/{ontology}/transactions/{source}/report',
      'put /api/admin/v1/ontologies/{ontology}/views/{view}',
      'put /api/admin/v1/policies/{policy}',
    ])
  })

  it('contains the schemas that validate requests', () => {
    const list = document.paths['/api/v1/ontologies/{ontology}/objects/{objectType}'].get
    const pageSize = list.parameters.find(
      (parameter: { name: string }) => parameter.name === 'pageSize',
    )
    expect(pageSize).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1 } })
    const search = document.paths['/api/{apiFamily}/v1/objects/types/{objectType}/search'].post
    const { $ref } = search.requestBody.content['application/json'].schema
    expect($ref).toBe('#/components/schemas/SearchObjectsRequest')
    const body = document.components.schemas.SearchObjectsRequest
    expect(body.required).toEqual(['query'])
    expect(body.additionalProperties).toBe(false)
    expect(Object.keys(list.responses).sort()).toEqual(['200', '304', '4XX', '5XX'])
    expect(Object.keys(search.responses).sort()).toEqual(['200', '4XX', '5XX'])
  })

  it('describes every operation, and gives every object a name, so that generators invent none', () => {
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) =>
      Object.values(methods),
    )
    const isDescribed = ({ description = '' }: Operation) => description.trim().endsWith('.')
    expect(operations.filter((one) => !isDescribed(one)).map((one) => one.operationId)).toEqual([])
    const { schemas } = document.components
    const inner = Object.values<Schema>(schemas).flatMap(innerSchemas)
    const used = operations.flatMap(({ responses, requestBody }) =>
      [...Object.values(responses), requestBody ?? {}].flatMap(({ content = {} }) =>
        Object.values(content).flatMap(({ schema = {} }) => [schema, ...innerSchemas(schema)]),
      ),
    )
    expect([...inner, ...used].filter(isUnnamed)).toEqual([])
    const isNumbered = (name: string) => /\d/.test(name.replaceAll(/V2|Revision[12]/g, ''))
    expect(Object.keys(schemas).filter(isNumbered)).toEqual([])
  })

  it('requires a bearer token for every endpoint that needs one', () => {
    expect(document.security).toEqual([{ bearer: [] }, { oauth2: [] }])
    expect(document.components.securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' })
    expect(document.paths['/healthz'].get.security).toEqual([])
  })
})

describe('the examples of openapi.json', () => {
  it('include every error', async () => {
    await using service = await startService()
    const { body } = await service.send('/openapi.json', { token: null })
    const shown = body.components.schemas.Error.examples.map(
      (one: { errorName: string }) => one.errorName,
    )
    expect(shown.toSorted()).toEqual(Object.keys(ERRORS).toSorted())
  })

  it('exist for every response and request body, and match their schemas', async () => {
    await using service = await startService()
    const { body } = await service.send('/openapi.json', { token: null })
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const wrong: string[] = []
    for (const [path, methods] of Object.entries<Record<string, Operation>>(body.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const media = [
          ...Object.entries(operation.responses['200']?.content ?? { '200': undefined }),
          ...Object.entries(operation.requestBody?.content ?? {}),
        ] as [string, Media | undefined][]
        for (const [what, { schema, example, examples: many = {} } = {}] of media) {
          const examples = [example, ...Object.values(many).map((one) => one.value)].filter(
            (one) => one !== undefined,
          )
          if (examples.length === 0) wrong.push(`${method} ${path} ${what}: no example`)
          const validate = ajv.compile({ ...schema, components: body.components })
          for (const example of examples) {
            if (!validate(example))
              wrong.push(`${method} ${path} ${what}: ${ajv.errorsText(validate.errors)}`)
          }
        }
      }
    }
    expect(wrong).toEqual([])
  })

  it('say for each aggregation of v2 that percentiles are percentages', async () => {
    await using service = await startService()
    const { body } = await service.send('/openapi.json', { token: null })
    const operations = Object.values<Record<string, Operation>>(body.paths).flatMap(Object.values)
    const requests = operations.flatMap(({ requestBody }) => JSON.stringify(requestBody) ?? [])
    const exact = requests.filter(
      (request) => request.includes('"runwayFeet"') && request.includes('"count","direction"'),
    )
    expect(exact.length).toBeGreaterThan(2)
    for (const request of exact) expect(request).toContain('"approximatePercentile":95')
    expect(JSON.stringify(body.components.schemas)).toContain('95, not 0.95')
  })
})

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
}

/** Returns all schemas inside a schema. */
function innerSchemas(schema: Schema): readonly Schema[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema
  return [...Object.values(properties), items, additionalProperties, ...anyOf]
    .filter((one) => typeof one === 'object')
    .flatMap((one) => [one, ...innerSchemas(one)])
}

/** Generators invent a name for an object with members, and a number for what can be null. */
function isUnnamed({ type = [], enum: values = [], properties = {} }: Schema): boolean {
  const isNullable = type.includes('null') || values.includes(null)
  const isClass = type.includes('object') || values.some((value) => typeof value === 'string')
  return Object.keys(properties).length > 0 || (isNullable && isClass)
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Record<string, { value: unknown }>
}

interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly responses: Record<string, { content?: Record<string, Media> }>
  readonly requestBody?: { content?: Record<string, Media> }
}
