/** `PUT`, `PATCH` and `DELETE` of one object, with conditions on its entity tag. */

import { Transform } from 'node:stream'
import type { FastifyReply, preParsingAsyncHookHandler } from 'fastify'
import { resolveWrittenPath, type Viewer } from '../../access/find-visible.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { anyMembers, integer, namedObject } from '../../contract/schema-parts.ts'
import { RECORD_MAX_BYTES } from '../../formats/row.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { mergePatch } from '../../ontology/values/merge-patch.ts'
import type { PrimaryKey } from '../../ontology/values/primary-key.ts'
import { RefusedObject, readObjectKey } from '../../ontology/values/read-object.ts'
import { MEMORY_PER_BYTE } from '../../service/batches/read-batch.ts'
import { objectNotFound } from '../../service/pages/find-object.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { creationBy } from '../../service/writes/creation.ts'
import { readProperties, writeObject } from '../../service/writes/write-object.ts'
import type { Change, CurrentObject } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { GUARDED } from '../request/declare-guards.ts'
import { type KeyedRequest, readIdempotencyKey, repeatHeaders } from '../request/idempotency-key.ts'
import { addJsonParser } from '../request/json-body.ts'
import {
  isConditional,
  objectTag,
  objectTags,
  readPreconditions,
  requirePreconditions,
} from '../request/preconditions.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/**
 * Returns a hook that reserves the memory of a body until the request ends: all of it before the body
 * is received if its length is known, otherwise that of each chunk as it arrives.
 */
export function reserveBody({ memory }: Pick<Services, 'memory'>): preParsingAsyncHookHandler {
  return async ({ headers, context }, _, payload) => {
    const length = headers['content-length']
    const reservation = memory.reserve(context.callerId, MEMORY_PER_BYTE * Number(length ?? 0))
    context.defer(() => reservation.release())
    if (length !== undefined) return payload
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        try {
          reservation.grow(MEMORY_PER_BYTE * chunk.length)
          done(null, chunk)
        } catch (error) {
          done(error as Error)
        }
      },
    })
    // A client that disconnects must not leave the parser waiting.
    payload.on('error', (error) => counted.destroy(error))
    return payload.pipe(counted)
  }
}

const PATH = '/api/admin/v1/ontologies/:ontology/objects/:objectType/:primaryKey'
const MERGE_PATCH = 'application/merge-patch+json'

const VersionResponse = namedObject('WrittenVersion', {
  version: integer('The version that contains the change.'),
})

const Properties = anyMembers()

const config = { scope: 'api:ontologies-write', writes: GUARDED } as const
const CONDITIONS =
  'With `If-Match` or `If-None-Match`, the write happens only if the entity tag of the object, from `GET` in any API version, does or does not match; otherwise the status is 412. When the response arrives, the change is on disk.'

interface ObjectRequest extends Viewer, KeyedRequest {
  readonly params: {
    readonly ontology: string
    readonly objectType: string
    readonly primaryKey: string
  }
  readonly context: ServiceContext
}

/** Computes what a request does to the object with the key of its path. */
type DecideChange = (
  /** Undefined only for a `PUT`, which may not know whether there is one. */
  current: CurrentObject | undefined,
  target: { readonly objectType: ObjectType; readonly pk: string },
) => Change | Promise<Change>

/** Writes the object of a request, if the object that the commit replaces meets its conditions. */
async function writeRequested(
  request: ObjectRequest,
  reply: FastifyReply,
  services: Services,
  decide: DecideChange,
): Promise<FastifyReply> {
  const { params, headers, context, catalogue, method } = request
  const { objectType } = resolveWrittenPath(request, params)
  const { pk } = readPathKey(objectType, request)
  const preconditions = readPreconditions(headers)
  const target = { objectType: objectType.apiName, primaryKey: params.primaryKey }
  const spec = {
    objectType,
    pk,
    basedOn: catalogue.generation,
    idempotencyKey: readIdempotencyKey(request, services),
    readsCurrent: method !== 'PUT' || isConditional(preconditions),
    decide: async (current: CurrentObject | undefined) => {
      const readTags = current && (() => objectTags(objectType, current))
      requirePreconditions(preconditions, readTags, target)
      if (current === undefined && method !== 'PUT') {
        throw objectNotFound(objectType, params.primaryKey)
      }
      const change = await decide(current, { objectType, pk })
      return { change, etag: 'put' in change ? objectTag(objectType, change.put) : undefined }
    },
  }
  const { commit, etag, isCreated } = await writeObject(spec, context, services)
  return reply
    .headers({ ...repeatHeaders(commit), ...(etag === undefined ? {} : { etag }) })
    .code(isCreated ? 201 : 200)
    .send({ version: commit.version })
}

/** Returns the key of the path. No object can have an invalid key, so only `PUT` reports it as such. */
function readPathKey(objectType: ObjectType, { params, method }: ObjectRequest): PrimaryKey {
  try {
    return readObjectKey(objectType, params.primaryKey)
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    if (method !== 'PUT') throw objectNotFound(objectType, params.primaryKey)
    throw invalidArgument('primaryKey', error.reason)
  }
}

/** Returns the properties of a body, with the key of the path unless they have one. */
function withKey(
  body: unknown,
  { primaryKey: { apiName } }: ObjectType,
  { primaryKey }: ObjectRequest['params'],
): unknown {
  return isJsonObject(body) ? { [apiName]: primaryKey, ...body } : body
}

const putObject = endpoint({
  route: `PUT ${PATH}`,
  config,
  operationId: 'putObject',
  summary: 'Create or replace one object',
  description: `The body contains the properties. The primary key is that of the path, and need not be repeated. The status is 201 if the object did not exist. ${CONDITIONS}`,
  body: Properties,
  response: { ...responses(VersionResponse), 201: VersionResponse },
  options: (services) => ({
    bodyLimit: RECORD_MAX_BYTES,
    preParsing: reserveBody(services),
  }),
  handle: (request, reply, services) =>
    writeRequested(request, reply, services, async (_, { objectType, pk }) => {
      const properties = withKey(request.body, objectType, request.params)
      const creation = creationBy(request.caller, services)
      return { put: await readProperties(properties, objectType, pk, creation) }
    }),
})

const patchObject = endpoint({
  route: `PATCH ${PATH}`,
  config,
  operationId: 'patchObject',
  summary: 'Change properties of one object',
  description: `A JSON merge patch (RFC 7396): members replace properties, null removes them, and the others stay. Concurrent patches are applied one after the other, and none is lost. ${CONDITIONS}`,
  consumes: [MERGE_PATCH, 'application/json'],
  body: Properties,
  response: VersionResponse,
  options: (services) => ({
    bodyLimit: RECORD_MAX_BYTES,
    preParsing: reserveBody(services),
  }),
  handle: (request, reply, services) =>
    writeRequested(request, reply, services, async (current, { objectType, pk }) => {
      const merged = mergePatch(JSON.parse(current?.body ?? '{}'), request.body)
      return { put: await readProperties(merged, objectType, pk) }
    }),
})

const deleteObject = endpoint({
  route: `DELETE ${PATH}`,
  config,
  operationId: 'deleteObject',
  summary: 'Delete one object',
  description: CONDITIONS,
  response: VersionResponse,
  handle: (request, reply, services) =>
    writeRequested(request, reply, services, (_, { pk }) => ({ delete: pk })),
})

/** `PATCH` also accepts the media type of a merge patch. */
export async function addSingleObject(app: App, services: Services): Promise<void> {
  addEndpoints(app, services, [putObject, deleteObject])
  await app.register(async (patches: App) => {
    addJsonParser(patches, MERGE_PATCH)
    patchObject(patches, services)
  })
}
