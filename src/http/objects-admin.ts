import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { ObjectQueryError } from '../contract/errors.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_CHANGES, OBJECT_MAX_BYTES } from '../contract/limits.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import {
  type ObjectReader,
  objectReader,
  RefusedObject,
  readObjectKey,
} from '../ontology/read-object.ts'
import { isJsonObject } from '../ontology/refused-value.ts'
import type { Change } from '../store/object-store.ts'
import type { App } from './app.ts'
import { type Line, readLines, refusedLine } from './ndjson.ts'
import { resolveObjectType, resolveOntology } from './resolve.ts'
import { NoParameters, responses } from './schemas.ts'
import type { Services } from './services.ts'

/** Writing objects: one atomic batch per request, a change per line. */

/** Escapes can make a line longer than the object it holds. */
const LINE_LIMITS = { maxBytes: BATCH_MAX_BYTES, maxLineBytes: 2 * OBJECT_MAX_BYTES }

export function addObjectsAdmin(app: App, services: Services): void {
  app.post(
    '/api/admin/v1/ontologies/:ontology/objects/:objectType',
    {
      bodyLimit: BATCH_MAX_BYTES,
      config: { scope: 'api:ontologies-write' },
      schema: {
        operationId: 'writeObjects',
        summary: 'Write one atomic batch of objects',
        description:
          'Each line is `{"put": {…properties}}` or `{"delete": primaryKey}`. All lines take effect together, or none does; of several lines for one object the last counts. When the answer arrives, the batch is on disk.',
        tags: ['Administration'],
        consumes: ['application/x-ndjson'],
        body: Type.Any({
          description: 'A change on each line.',
          examples: ['{"put": {"id": "LAX", "name": "Los Angeles"}}\n{"delete": "NONE"}'],
        }),
        params: Type.Object({
          ontology: Type.String({ description: 'RID or API name of the ontology.' }),
          objectType: Type.String({ description: 'API name of the object type.' }),
        }),
        querystring: NoParameters,
        response: responses(
          Type.Object({
            version: Type.Integer({ description: 'The version that holds the changes.' }),
            put: Type.Integer({ description: 'Objects written.' }),
            deleted: Type.Integer({ description: 'Objects that existed and were deleted.' }),
          }),
        ),
      },
    },
    async (request) => {
      const catalogue = await services.store.readCatalogue()
      const ontology = resolveOntology(catalogue, request.caller, request.params.ontology)
      const { objectType } = resolveObjectType(ontology, request.params.objectType)
      refuseLarge(request.headers['content-length'])
      if (request.body === undefined) throw new ObjectQueryError('MissingPostBody')
      const changes = await readChanges(request.body as Readable, objectType)
      return services.store.commit({
        objectType,
        changes,
        basedOn: catalogue.generation,
        nowMs: services.now(),
      })
    },
  )
}

/** What is declared too large is refused before it is sent, not after. */
function refuseLarge(contentLength: string | undefined): void {
  if (Number(contentLength ?? 0) > BATCH_MAX_BYTES) {
    throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes: BATCH_MAX_BYTES })
  }
}

async function readChanges(body: Readable, objectType: ObjectType): Promise<Change[]> {
  const readObject = objectReader(objectType)
  const changes: Change[] = []
  // The stream outlives a refusal, which would otherwise cut the connection before the client has
  // read the answer; what is left of the batch is then passed over.
  const chunks = body.iterator({ destroyOnReturn: false })
  try {
    for await (const lines of readLines(chunks, LINE_LIMITS)) {
      for (const line of lines) changes.push(readChange(line, objectType, readObject))
      if (changes.length > BATCH_MAX_CHANGES) {
        throw new ObjectQueryError('Default:RequestEntityTooLarge', {
          maxChanges: BATCH_MAX_CHANGES,
        })
      }
    }
  } finally {
    body.resume()
  }
  return changes
}

function readChange(line: Line, objectType: ObjectType, readObject: ObjectReader): Change {
  const [kind, value] = readMember(line)
  try {
    return kind === 'put'
      ? { put: readObject(value) }
      : { delete: readObjectKey(objectType, value).pk }
  } catch (error) {
    if (error instanceof RefusedObject) throw refusedLine(line.number, error.reason, error.property)
    throw error
  }
}

/** The one member of a line: what to do, and with what. */
function readMember({ number, text }: Line): [kind: 'put' | 'delete', value: unknown] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw refusedLine(number, 'is not JSON; each line holds one change')
  }
  const [member, ...others] = isJsonObject(json) ? Object.entries(json) : []
  if (
    member === undefined ||
    others.length > 0 ||
    (member[0] !== 'put' && member[0] !== 'delete')
  ) {
    throw refusedLine(number, 'is neither {"put": {…}} nor {"delete": primaryKey}')
  }
  return [member[0], member[1]]
}
