/** Writes objects, one change per line: a batch of one type, or transactions of another database. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { BATCH_MAX_BYTES, TRANSACTIONS_MAX_BYTES } from '../../contract/limits.ts'
import { closed, documentedWith, flag, integer } from '../../contract/schema-parts.ts'
import { applyTransactions } from '../../service/batches/apply-transactions.ts'
import { writeBatch } from '../../service/batches/write-batch.ts'
import type { App } from '../app.ts'
import { endpoint } from '../endpoint.ts'
import { KEYED, UNGUARDED } from '../request/declare-guards.ts'
import { digestOf, readIdempotencyKey, repeatHeaders } from '../request/idempotency-key.ts'
import { ReplacementName } from '../schemas/paths.ts'
import { CommitResponse } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const BatchParameters = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(['upsert', 'append', 'merge'], {
        description:
          'What `put` does to an existing object: `upsert` (the default) replaces it, `append` leaves it unchanged, and `merge` changes only the members of the line: null removes a value, and a struct keeps the fields that the line lacks. At most 1,000 changes can be merged at once.',
      }),
    ),
    dryRun: Type.Optional(flag('If true, every line is checked and nothing is written.')),
    replacement: Type.Optional(ReplacementName),
  },
  closed,
)

/** The second is for generated clients, many of which know no other type for bytes. */
const LINES = ['application/x-ndjson', 'application/octet-stream'] as const

/** A body that is a stream here, and text for clients. */
const lines = (description: string) =>
  documentedWith(Type.Any({ description }), { type: 'string', minLength: 1 })

/** Refuses compressed batches, whose bytes would be read as lines. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new ObjectQueryError('Conjure:UnsupportedMediaType', {
    expected: 'no content encoding',
    received: encoding,
  })
}

/** Refuses a body that is declared too large before it is read. */
function refuseLargeBody(contentLength: string | undefined, maxBytes: number): void {
  if (Number(contentLength ?? 0) > maxBytes) {
    throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes })
  }
}

/** Returns the body of a request, which is read line by line. */
function linesOf({ headers, body }: FastifyRequest, maxBytes: number): Readable {
  refuseEncoding(headers['content-encoding'])
  refuseLargeBody(headers['content-length'], maxBytes)
  if (body === undefined) throw new ObjectQueryError('MissingPostBody')
  return body as Readable
}

/** Runs a write once the caller has a free slot; the body is not read before. */
function runInTurn<T>(
  { context }: FastifyRequest,
  { admission }: Services,
  write: () => Promise<T>,
): Promise<T> {
  const readBody = context.holdBody()
  return admission.runBatch({ callerId: context.callerId, signal: context.signal() }, () => {
    readBody()
    return write()
  })
}

const writeObjects = endpoint({
  route: 'POST /api/admin/v1/ontologies/:ontology/objects/:objectType',
  config: { scope: 'api:ontologies-write', writes: KEYED },
  operationId: 'writeObjects',
  summary: 'Write one atomic batch of objects',
  description:
    'Each line is `{"put": {…properties}}` or `{"delete": primaryKey}`. The batch is atomic: all lines take effect together, or none does. Of several lines for one object, the last one wins. When the response arrives, the batch is on disk. If lines are invalid, the error lists up to 100 of them.',
  consumes: LINES,
  body: lines('One change per line.'),
  querystring: BatchParameters,
  response: CommitResponse,
  options: () => ({
    bodyLimit: BATCH_MAX_BYTES,
  }),
  handle: async (request, reply, services) => {
    const body = linesOf(request, BATCH_MAX_BYTES)
    const { caller, context, params, query } = request
    const digest = createHash('sha256')
    const idempotencyKey = readIdempotencyKey(request, services, () => digestOf(digest))
    const spec = {
      ...params,
      ...query,
      caller,
      context,
      body,
      idempotencyKey,
      // Without a key, nothing needs the digest of the body.
      digest: idempotencyKey === undefined ? undefined : digest,
    }
    const commit = await runInTurn(request, services, () => writeBatch(spec, services))
    reply.headers(repeatHeaders(commit))
    const { version, put, deleted, kept } = commit
    return {
      version,
      put,
      deleted,
      ...(query.mode === 'append' || query.mode === 'merge' ? { kept } : {}),
    }
  },
})

const applySourceTransactions = endpoint({
  route: 'POST /api/admin/v1/ontologies/:ontology/transactions/:source',
  config: { scope: 'api:ontologies-write', writes: UNGUARDED },
  operationId: 'applyTransactions',
  summary: 'Apply transactions of another database',
  description:
    'Each line has one member: `{"objectType": name}` names the type of the changes that follow, `{"put": {…properties}}` and `{"delete": primaryKey}` are changes, and `{"commit": position}` ends a transaction. Each transaction is one commit over all its types. All of them are applied in order, or none is, and the position of the last one is stored with them. Positions must sort behind each other; transactions up to the stored position are skipped, so that a request can be sent again. Without transactions, the request returns the stored position.',
  consumes: LINES,
  body: lines('One member per line.'),
  response: Type.Object({
    position: Type.String({ description: 'The stored position; empty before the first one.' }),
    applied: integer('The number of transactions that were not skipped.'),
  }),
  options: () => ({ bodyLimit: TRANSACTIONS_MAX_BYTES }),
  handle: async (request, _reply, services) => {
    const body = linesOf(request, TRANSACTIONS_MAX_BYTES)
    const { caller, context, params } = request
    const spec = { ...params, caller, context, body }
    return runInTurn(request, services, () => applyTransactions(spec, services))
  },
})

/** Adds both, with bodies that are read line by line instead of parsed as a whole. */
export async function addWriteObjects(app: App, services: Services): Promise<void> {
  await app.register(async (batches: App) => {
    batches.removeAllContentTypeParsers()
    batches.addContentTypeParser([...LINES], (_request, stream, done) => done(null, stream))
    writeObjects(batches, services)
    applySourceTransactions(batches, services)
  })
}
