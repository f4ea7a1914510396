/** Tries a change of a definition on stored objects, in a reader process. See sql/try-objects.ts. */
import { readDefinition } from '../../core/definitions/ontology-rows.ts'
import { readTried } from '../../core/tables/tried-objects.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import { decodeChange, type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import { type NextObjects, StepTrial, type TriedStep } from '../../sql/try-objects.ts'
import { runIn } from '../file/sqlite-session.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { currentRows } from '../writes/staged-record.ts'

/** What is read in one step, which takes about half a second. */
const PORTION = { objects: 50_000, bytes: 32_000_000 } as const

export interface TryStepRequest extends NextObjects {
  readonly changeId: string
  /** The change as JSON, see `encodeChange`. */
  readonly change: string
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
}

/** Converts the objects of a type that follow a key, up to the size of a step. */
export function tryNextObjects(reading: ReadConnection, request: TryStepRequest): TriedStep {
  return inReadTransaction(reading, () => {
    const { rows, isLast } = runIn(reading, (session) =>
      readTried(session, {
        ...request,
        portion: PORTION,
        currentRows: (typeId) => currentRows(session, typeId),
      }),
    )
    const trial = new StepTrial(converterOf(reading, request), request.after)
    for (const { pk, key, body } of rows) trial.add(pk, key, body)
    return trial.end(isLast)
  })
}

function converterOf(
  reading: ReadConnection,
  { changeId, change, typeRid }: TryStepRequest,
): TypeConverter {
  const name = `${changeId} ${typeRid}`
  const known = reading.converters.get(name)
  if (known !== undefined) return known
  const plan = decodeChange(change)
  const before = runIn(reading, (session) => readDefinition(session, plan.definition.rid ?? ''))
  if (before === undefined) throw definitionOutOfSync()
  const converter = typeConverter(before, plan, typeRid)
  reading.converters.set(name, converter)
  return converter
}
