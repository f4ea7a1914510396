/** Tries a change of a definition on stored objects. See sql/try-objects.ts. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import { readDefinition } from '../../core/definitions/ontology-rows.ts'
import { type NextRows, readTried } from '../../core/tables/read-objects.ts'
import type { TriedObjects } from '../../port/definitions.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import { type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import { DRY_RUN, StepTrial, type TriedStep, tryInSteps } from '../../sql/try-objects.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Session } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'
import { currentRows } from './postgres-table-builder.ts'

/** What is read in one step. */
const PORTION = { objects: 2000, bytes: 2 * 1024 * 1024 } as const
/** Converting this many objects takes a few milliseconds. */
const OBJECTS_PER_TURN = 100

export function tryObjects(
  { database }: PostgresContext,
  change: OntologyChange,
  context: RequestContext,
): Promise<TriedObjects> {
  const converters = new Map<string, TypeConverter>()
  const converterOf = async (session: Session, typeRid: string) => {
    const { definition, rid } = change.ontology
    const before = await readIn(session, (core) => readDefinition(core, rid))
    if (before === undefined) throw definitionOutOfSync()
    const converter = typeConverter(before, { ...change, definition }, typeRid)
    converters.set(typeRid, converter)
    return converter
  }
  return tryInSteps(
    change,
    async (next) => {
      const { typeRid, after } = next
      const range = { ...next, basedOn: change.basedOn, portion: PORTION, currentRows }
      const { found, converter } = await database.readSlowly(context, (pool) =>
        pool.read(async (session) => ({
          found: await readIn(session, (core) => readTried(core, range)),
          converter: converters.get(typeRid) ?? (await converterOf(session, typeRid)),
        })),
      )
      return tryRows(new StepTrial(converter, after), found, context)
    },
    DRY_RUN,
  )
}

/** Outside of the transaction, so that its connection is free for other queries. */
async function tryRows(
  trial: StepTrial,
  { rows, isLast }: NextRows,
  context: RequestContext,
): Promise<TriedStep> {
  for (const { pk, key, body } of rows) {
    trial.add(pk, key, body)
    if (trial.tried % OBJECTS_PER_TURN > 0) continue
    await nextTurn()
    context.signal().throwIfAborted()
  }
  return trial.end(isLast)
}
