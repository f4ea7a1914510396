/** Writes one atomic batch of merges: each line changes only the properties that it has. */

import { nextTurn } from '../../admission/next-turn.ts'
import type { MemoryReservation } from '../../admission/request-memory.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { MERGE_MAX_CHANGES, MERGE_MAX_CURRENT_BYTES } from '../../contract/limits.ts'
import { constraintViolated } from '../../ontology/values/constraint-violated.ts'
import { mergeProperties } from '../../ontology/values/merge-properties.ts'
import {
  type ObjectReader,
  objectReader,
  RefusedObject,
  ViolatingObject,
} from '../../ontology/values/read-object.ts'
import type { Change, Commit, CurrentObject, WriteTarget } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import { BATCH_LIMITS, ChangeReader } from './change-reader.ts'
import { type BatchBody, MEMORY_PER_BYTE, MEMORY_PER_CHANGE } from './read-batch.ts'

type Properties = Readonly<Record<string, unknown>>

/** What one line does to an object. */
interface MergeLine {
  readonly line: number
  readonly pk: string
  /** Undefined to delete the object. */
  readonly part: Properties | undefined
}

export interface MergeSpec extends Omit<BatchBody, 'objectType'>, WriteTarget {}

/** The bytes that are parsed, and the objects that are merged, in one turn. */
const TURN_BYTES = 8 * 1024
const TURN_OBJECTS = 100

export async function mergeBatch(spec: MergeSpec, services: ServiceParts): Promise<Commit> {
  const { objectType, context, memory, dryRun, basedOn, idempotencyKey } = spec
  const lines = await readMerges(spec, services)
  const target = { objectType, basedOn, idempotencyKey }
  if (dryRun) return services.objects.commit({ ...target, changes: [] }, context)
  const byKey = Map.groupBy(lines, ({ pk }) => pk)
  const held = memoryOf(memory)
  const edit = {
    ...target,
    keys: [...byKey.keys()],
    maxCurrentBytes: MERGE_MAX_CURRENT_BYTES,
    decide: async (current: ReadonlyMap<string, CurrentObject>) => {
      held.hold(current)
      const { changes, kept } = await decideMerges(spec, byKey, current)
      return { changes, note: JSON.stringify({ kept }) }
    },
  }
  const commit = await services.objects.edit(edit, context)
  return { ...commit, ...(JSON.parse(commit.note ?? '{}') as Partial<Commit>) }
}

/** An edit may be decided several times, with other objects each time. */
function memoryOf(memory: MemoryReservation) {
  let held = 0
  return {
    hold(current: ReadonlyMap<string, CurrentObject>) {
      let bytes = 0
      for (const { body } of current.values()) bytes += body.length * MEMORY_PER_BYTE
      if (bytes > held) memory.grow(bytes - held)
      held = Math.max(held, bytes)
    },
  }
}

async function readMerges(
  { body, objectType, context, memory, digest }: MergeSpec,
  { admission }: ServiceParts,
): Promise<readonly MergeLine[]> {
  const readObject = objectReader(objectType, { isPart: true })
  const readPart = (value: unknown, line: number): MergeLine => {
    const part = value as Properties
    // The values of a part are checked as those of an object that has no others.
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const { pk } = readObject(isObject ? mergeProperties(objectType, {}, part) : value)
    return { line, pk, part }
  }
  const reader = new ChangeReader(
    objectType,
    { put: readPart, delete: (pk, line): MergeLine => ({ line, pk, part: undefined }) },
    { ...BATCH_LIMITS, maxChanges: MERGE_MAX_CHANGES },
  )
  const lines: MergeLine[] = []
  const add = (some: readonly MergeLine[]) => {
    memory.grow(some.length * MEMORY_PER_CHANGE)
    lines.push(...some)
  }
  // The stream must survive an error, so that the client can read the response.
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    memory.grow(chunk.length * MEMORY_PER_BYTE)
    digest?.update(chunk)
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      await admission.takeTurn(context.callerId)
      add(reader.take(chunk.subarray(at, at + TURN_BYTES)))
    }
  }
  add(reader.end())
  return lines
}

/** Returns the changes of objects that are others afterwards, and counts those that stay the same. */
async function decideMerges(
  { objectType, creation }: MergeSpec,
  byKey: ReadonlyMap<string, readonly MergeLine[]>,
  current: ReadonlyMap<string, CurrentObject>,
): Promise<{ readonly changes: readonly Change[]; readonly kept: number }> {
  const readObject = objectReader(objectType)
  const changes: Change[] = []
  let kept = 0
  let done = 0
  for (const [pk, lines] of byKey) {
    done += 1
    if (done % TURN_OBJECTS === 0) await nextTurn()
    const before = current.get(pk)
    const change = mergeObject({ objectType, readObject, creation }, { pk, before, lines })
    if (change === undefined) kept += 1
    else changes.push(change)
  }
  return { changes, kept }
}

function mergeObject(
  {
    objectType,
    readObject,
    creation,
  }: Pick<MergeSpec, 'objectType' | 'creation'> & { readonly readObject: ObjectReader },
  object: {
    readonly pk: string
    readonly before: CurrentObject | undefined
    readonly lines: readonly MergeLine[]
  },
): Change | undefined {
  const { pk, before, lines } = object
  let merged = before && (JSON.parse(before.body) as Properties)
  for (const { part } of lines) {
    merged = part && mergeProperties(objectType, merged ?? {}, part)
  }
  if (merged === undefined) return { delete: pk }
  try {
    const put = readObject(merged, before === undefined ? creation : undefined)
    return put.body === before?.body ? undefined : { put }
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    const line = lines.at(-1)?.line ?? 1
    if (error instanceof ViolatingObject) {
      throw constraintViolated(objectType.apiName, [{ object: error, line }])
    }
    // Each part is valid: together with the rest, the object is too large.
    const { property, reason } = error
    const refused = { line, ...(property && { property }), reason }
    throw new ObjectQueryError('InvalidBatchLine', { ...refused, refused: [refused] })
  }
}
