/** `PUT`, `PATCH` and `DELETE` of one object, with conditions on its entity tag. */
import { Type } from 'typebox'
import { RECORD_MAX_BYTES } from '../../formats/row.ts'
import { mergePatch } from '../../ontology/values/merge-patch.ts'
import { objectNotFound } from '../../service/pages/find-object.ts'
import type { App } from '../app.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { repeatHeaders } from '../request/idempotency-key.ts'
import { addJsonParser } from '../request/json-body.ts'
import { GUARDED } from '../request/write-guards.ts'
import { NoParameters } from '../schemas/common.ts'
import { ObjectPath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { reserveBody } from './reserve-body.ts'
import { readProperties, type WrittenObject, writeObject } from './write-object.ts'

const PATH = '/api/admin/v1/ontologies/:ontology/objects/:objectType/:primaryKey'
const MERGE_PATCH = 'application/merge-patch+json'

const VersionResponse = Type.Object({
  version: Type.Integer({ description: 'The version that contains the change.' }),
})

const Properties = Type.Object({}, { additionalProperties: true })

const config = { scope: 'api:ontologies-write', writes: GUARDED } as const
const common = {
  tags: ['Administration'],
  params: ObjectPath,
  querystring: NoParameters,
}
const CONDITIONS =
  'With `If-Match` or `If-None-Match`, the write happens only if the entity tag of the object, from `GET` in any API version, does or does not match; otherwise the status is 412. When the response arrives, the change is on disk.'

function headersOf({ commit, etag }: WrittenObject): Record<string, string> {
  return { ...repeatHeaders(commit), ...(etag === undefined ? {} : { etag }) }
}

const putObject = endpoint({
  route: `PUT ${PATH}`,
  config,
  ...common,
  operationId: 'putObject',
  summary: 'Create or replace one object',
  description: `The body contains the properties, with the primary key of the path. The status is 201 if the object did not exist. ${CONDITIONS}`,
  body: Properties,
  response: { ...responses(VersionResponse), 201: VersionResponse },
  options: (services) => ({
    bodyLimit: RECORD_MAX_BYTES,
    preParsing: reserveBody(services),
  }),
  handle: async (request, reply, services) => {
    const written = await writeObject(request, services, async (_, { objectType, pk }) => ({
      put: await readProperties(request.body, objectType, pk),
    }))
    reply.headers(headersOf(written))
    return reply.code(written.isCreated ? 201 : 200).send({ version: written.commit.version })
  },
})

const patchObject = endpoint({
  route: `PATCH ${PATH}`,
  config,
  ...common,
  operationId: 'patchObject',
  summary: 'Change properties of one object',
  description: `A JSON merge patch (RFC 7396): members replace properties, null removes them, and the others stay. Concurrent patches are applied one after the other, and none is lost. ${CONDITIONS}`,
  consumes: [MERGE_PATCH, 'application/json'],
  body: Properties,
  response: responses(VersionResponse),
  options: (services) => ({
    bodyLimit: RECORD_MAX_BYTES,
    preParsing: reserveBody(services),
  }),
  handle: async (request, reply, services) => {
    const { primaryKey } = request.params
    const written = await writeObject(request, services, async (current, { objectType, pk }) => {
      if (current === undefined) throw objectNotFound(objectType, primaryKey)
      const merged = mergePatch(JSON.parse(current.body), request.body)
      return { put: await readProperties(merged, objectType, pk) }
    })
    reply.headers(headersOf(written))
    return { version: written.commit.version }
  },
})

const deleteObject = endpoint({
  route: `DELETE ${PATH}`,
  config,
  ...common,
  operationId: 'deleteObject',
  summary: 'Delete one object',
  description: CONDITIONS,
  response: responses(VersionResponse),
  handle: async (request, reply, services) => {
    const { primaryKey } = request.params
    const written = await writeObject(request, services, (current, { objectType, pk }) => {
      if (current === undefined) throw objectNotFound(objectType, primaryKey)
      return { delete: pk }
    })
    reply.headers(headersOf(written))
    return { version: written.commit.version }
  },
})

/** `PATCH` also accepts the media type of a merge patch. */
export async function addSingleObject(app: App, services: Services): Promise<void> {
  addEndpoints(app, services, [putObject, deleteObject])
  await app.register(async (patches: App) => {
    addJsonParser(patches, MERGE_PATCH)
    patchObject(patches, services)
  })
}
