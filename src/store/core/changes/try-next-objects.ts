/** Tries a change of a definition on some stored objects, see sql/try-objects.ts. */
import { definitionOutOfSync } from '../../sql/plan-definition-change.ts'
import { decodeChange, type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import { type NextObjects, StepTrial, type TriedStep } from '../../sql/try-objects.ts'
import { readDefinition } from '../definitions/ontology-rows.ts'
import { boolean, integer, type Operation, type ReadSession } from '../session/session.ts'
import type { SlowRead } from '../session/store-operations.ts'
import { type NextRows, readNext } from '../tables/read-objects.ts'

/** What is read in one step. */
const PORTION = { objects: 5000, bytes: 4 * 1024 * 1024 } as const
/** Converting this many objects takes a few milliseconds. */
const OBJECTS_PER_TURN = 100

interface TriedRange extends NextObjects {
  readonly changeId: string
  /** The change as JSON, see `encodeChange`. */
  readonly change: string
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
}

/** Converts the objects of a type that follow a key, up to the size of a step. */
export const tryNextObjects: SlowRead<TriedRange, TriedStep> = {
  name: 'tryNextObjects',
  *run(session, range) {
    // Before the objects, whose generation shows that the definition is that of the change.
    const converter = yield* converterOf(session, range)
    const { rows, isLast } = yield* readTried(session, range)
    const trial = new StepTrial(converter, range.after)
    for (const { pk, key, body } of rows) {
      trial.add(pk, key, body)
      if (trial.tried % OBJECTS_PER_TURN === 0) yield* session.pause()
    }
    return trial.end(isLast)
  },
}

function* converterOf(
  session: ReadSession,
  { changeId, change, typeRid }: TriedRange,
): Operation<TypeConverter> {
  const name = `${changeId} ${typeRid}`
  const known = session.memory?.get(name)
  if (known !== undefined) return known as TypeConverter
  const plan = decodeChange(change)
  const before = yield* readDefinition(session, plan.definition.rid ?? '')
  if (before === undefined) throw definitionOutOfSync()
  const converter = typeConverter(before, plan, typeRid)
  session.memory?.set(name, converter)
  return converter
}

/**
 * Reads the next objects of the published version, or throws if the definition has changed since. No
 * transaction is needed: the rows of this version are kept for longer than the step takes.
 */
function* readTried(
  session: ReadSession,
  { typeRid, after, basedOn }: TriedRange,
): Operation<NextRows> {
  const type = yield* session.find(
    `SELECT t.table_id, t.published, t.generation, o.is_created, o.max_record_bytes
     FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    [typeRid],
    {
      id: integer,
      published: integer,
      generation: integer,
      isCreated: boolean,
      maxRecordBytes: integer,
    },
  )
  if (type !== undefined && type.generation > basedOn) throw definitionOutOfSync()
  if (type?.isCreated !== true) return { rows: [], lastKey: after, isLast: true }
  const { published } = type
  const current = { sql: 'valid_from <= ? AND valid_to > ?', values: [published, published] }
  return yield* readNext(session, { ...type, current, after }, PORTION)
}
