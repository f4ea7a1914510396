import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import type { MemoryReservation } from '../../admission/memory-budget.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_CHANGES } from '../../contract/limits.ts'
import { isUnreadable, RECORD_MAX_BYTES } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import {
  objectSteps,
  RefusedObject,
  readObjectKey,
  type StoredObject,
} from '../../ontology/values/read-object.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { finish, finishInTurns, type Steps } from '../../ontology/values/steps.ts'
import type { Batch, Change, Commit } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { CommitResponse, closed, ReplacementName, responses, TypePath } from '../openapi/schemas.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Caller } from '../request/caller.ts'
import { resolveObjectType, resolveOntology } from '../request/resolve.ts'
import type { Services } from '../services.ts'
import { type Line, readLines } from './ndjson.ts'

/** Writing objects: one atomic batch per request, a change per line. */

/** What stands around an object in its line: `{"put":` and `}`. */
const CHANGE_BYTES = 16
/** Memory that a batch takes until it is written, for each byte and for each change; measured. */
const MEMORY_PER_BYTE = 5
const MEMORY_PER_CHANGE = 2000
/** Bytes of a batch that are read in one turn: about a millisecond. */
const TURN_BYTES = 8 * 1024
const LINE_LIMITS = { maxBytes: BATCH_MAX_BYTES, maxLineBytes: RECORD_MAX_BYTES + CHANGE_BYTES }

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
          'Each line is `{"put": {…properties}}` or `{"delete": primaryKey}`. All lines take effect together, or none does; of several lines for one object the last counts. When the answer arrives, the batch is on disk. A batch with lines that do not fit is refused with all of them, up to a hundred.',
        tags: ['Administration'],
        consumes: ['application/x-ndjson'],
        body: Type.Any({
          description: 'A change on each line.',
          examples: ['{"put": {"id": "LAX", "name": "Los Angeles"}}\n{"delete": "NONE"}'],
        }),
        params: TypePath,
        querystring: BatchParameters,
        response: responses(CommitResponse),
      },
    },
    async (request) => {
      refuseEncoded(request.headers['content-encoding'])
      refuseLarge(request.headers['content-length'])
      if (request.body === undefined) throw new ObjectQueryError('MissingPostBody')
      const { caller, context, params, query, body } = request
      const spec: BatchSpec = { ...params, ...query, caller, context, body: body as Readable }
      return services.admission.runBatch(context, () => writeBatch(spec, services))
    },
  )
}

interface BatchSpec extends Static<typeof TypePath>, Static<typeof BatchParameters> {
  readonly caller: Caller
  readonly context: RequestScope
  readonly body: Readable
}

async function writeBatch(spec: BatchSpec, services: Services): Promise<CommitAnswer> {
  const { mode = 'upsert', dryRun = false, replacement, context } = spec
  const catalogue = await services.store.readCatalogue()
  const ontology = resolveOntology(catalogue, spec.caller, spec.ontology)
  const { objectType } = resolveObjectType(ontology, spec.objectType)
  using memory = services.memory.reserve(context.callerId, 0)
  const takeTurn = () => services.admission.takeTurn(context.callerId)
  const changes = readChanges(receive(spec.body, memory, takeTurn), objectType, memory)
  if (dryRun) for await (const _ of changes);
  const batch: Batch = {
    objectType,
    changes: dryRun ? [] : changes,
    basedOn: catalogue.generation,
    replacement,
    keepsExisting: mode === 'append',
  }
  const { kept, ...commit } = await services.store.commit(batch, context)
  return mode === 'append' ? { ...commit, kept } : commit
}

type CommitAnswer = Omit<Commit, 'kept'> & Partial<Pick<Commit, 'kept'>>

const BatchParameters = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(['upsert', 'append'], {
        description:
          'What happens to an object that exists when it is put: `upsert` (the default) writes it anew, `append` keeps it as it is.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'True: every line is checked and nothing is written.' }),
    ),
    replacement: Type.Optional(ReplacementName),
  },
  closed,
)

/** Compressed bytes would be read as lines. */
function refuseEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new ObjectQueryError('Conjure:UnsupportedMediaType', {
    expected: 'no content encoding',
    received: encoding,
  })
}

/** What is declared too large is refused before it is sent, not after. */
function refuseLarge(contentLength: string | undefined): void {
  if (Number(contentLength ?? 0) > BATCH_MAX_BYTES) {
    throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes: BATCH_MAX_BYTES })
  }
}

/** The bytes of a batch as they arrive, counted, with the turns of other callers in between. */
async function* receive(
  body: Readable,
  memory: MemoryReservation,
  takeTurn: () => Promise<void> | undefined,
): AsyncGenerator<Buffer> {
  // The stream outlives a refusal, which would otherwise cut the connection before the client has
  // read the answer; what is left of the batch is then passed over.
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false })
  try {
    for await (const chunk of chunks) {
      memory.grow(chunk.length * MEMORY_PER_BYTE)
      for (let at = 0; at < chunk.length; at += TURN_BYTES) {
        await takeTurn()
        yield chunk.subarray(at, at + TURN_BYTES)
      }
    }
  } finally {
    body.resume()
  }
}

/** The changes of a batch; ends with an error if any line does not fit. */
async function* readChanges(
  chunks: AsyncIterable<Buffer>,
  objectType: ObjectType,
  memory: MemoryReservation,
): AsyncGenerator<readonly Change[]> {
  const readObject = objectSteps(objectType)
  const refused: RefusedLine[] = []
  let count = 0
  for await (const lines of readLines(chunks, LINE_LIMITS)) {
    const changes: Change[] = []
    for (const line of lines) {
      const change = isUnreadable(line)
        ? { line: line.line, reason: line.reason }
        : isLong(line)
          ? await finishInTurns(readChange(line, objectType, readObject), nextTurn)
          : finish(readChange(line, objectType, readObject))
      if ('reason' in change) refused.push(change)
      else changes.push(change)
    }
    count += changes.length
    memory.grow(changes.length * MEMORY_PER_CHANGE)
    if (count > BATCH_MAX_CHANGES) {
      throw new ObjectQueryError('Default:RequestEntityTooLarge', {
        maxChanges: BATCH_MAX_CHANGES,
      })
    }
    if (refused.length >= REFUSED_LINES_SHOWN) break
    // What was read goes on in a turn of its own.
    if (lines.some((line) => !isUnreadable(line) && isLong(line))) await nextTurn()
    if (refused.length === 0) yield changes
  }
  const [first] = refused
  if (first !== undefined) {
    throw new ObjectQueryError('InvalidBatchLine', {
      ...first,
      refused: refused.slice(0, REFUSED_LINES_SHOWN),
    })
  }
}

/** Lines of a batch that are told to be refused, before the rest is not looked at any more. */
const REFUSED_LINES_SHOWN = 100

interface RefusedLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
}

/** Whether a change may take long enough to read for others to need their turn meanwhile. */
function isLong({ text }: Line): boolean {
  return text.length > LONG_LINE
}

const LONG_LINE = 64 * 1024

function* readChange(
  line: Line,
  objectType: ObjectType,
  readObject: (properties: unknown) => Steps<StoredObject>,
): Steps<Change | RefusedLine> {
  const { number } = line
  const [kind, value] = readMember(line.text)
  // Reading a long text is a step by itself.
  if (isLong(line)) yield
  if (kind === 'refused') return { line: number, reason: value }
  try {
    return kind === 'put'
      ? { put: yield* readObject(value) }
      : { delete: readObjectKey(objectType, value).pk }
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    const { reason, property } = error
    return property === undefined ? { line: number, reason } : { line: number, property, reason }
  }
}

type Member = [kind: 'put' | 'delete', value: unknown] | [kind: 'refused', reason: string]

/** The one member of a line: what to do, and with what. */
function readMember(text: string): Member {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return ['refused', 'is not JSON; each line holds one change']
  }
  const [member, ...others] = isJsonObject(json) ? Object.entries(json) : []
  if (
    member === undefined ||
    others.length > 0 ||
    (member[0] !== 'put' && member[0] !== 'delete')
  ) {
    return ['refused', 'is neither {"put": {…}} nor {"delete": primaryKey}']
  }
  return [member[0], member[1]]
}
