/** Tries a change of a definition on stored objects. See sql/try-objects.ts. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { readDefinition } from '../../core/definitions/ontology-rows.ts'
import type { TriedObjects } from '../../definition-change.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import {
  DRY_RUN,
  type NextObjects,
  StepTrial,
  type TriedStep,
  tryInSteps,
} from '../../sql/try-objects.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Row, Session } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'

/** A step reads at most this many objects and, unless one is larger, bytes. */
const OBJECTS_PER_STEP = 2000
const BYTES_PER_STEP = 2 * 1024 * 1024
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
      const { rows, converter } = await database.readSlowly(context, (pool) =>
        pool.read(async (session) => ({
          rows: await readNext(session, next, change.basedOn),
          converter: converters.get(typeRid) ?? (await converterOf(session, typeRid)),
        })),
      )
      return tryRows(new StepTrial(converter, after), rows, context)
    },
    DRY_RUN,
  )
}

/** Returns key, body and the number of objects that follow, the last one included. */
async function readNext(
  session: Session,
  { typeRid, after }: NextObjects,
  basedOn: number,
): Promise<readonly Row[]> {
  const [type] = await session.query(
    `SELECT t.table_id, t.generation, o.is_created FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
    [typeRid],
  )
  const [table, generation, isMade] = type ?? []
  if (Number(generation) > basedOn) throw definitionOutOfSync()
  if (isMade !== true) return []
  // The size of a long text is known without reading it.
  return session.query(
    `SELECT pk, key, body, total FROM (
       SELECT *, row_number() OVER () AS position, count(*) OVER () AS total,
         sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
       FROM (
         SELECT pk, key, body FROM ${objectTable(Number(table))}
         WHERE valid_to = ${NEVER_CLOSED} AND pk > ? ORDER BY pk LIMIT ${OBJECTS_PER_STEP}
       ) AS next
     ) AS sized WHERE position = 1 OR bytes <= ${BYTES_PER_STEP} ORDER BY pk`,
    [after],
  )
}

/** Outside of the transaction, so that its connection is free for other queries. */
async function tryRows(
  trial: StepTrial,
  rows: readonly Row[],
  context: RequestContext,
): Promise<TriedStep> {
  for (const [pk, key, body] of rows) {
    trial.add(String(pk), String(key), String(body))
    if (trial.tried % OBJECTS_PER_TURN > 0) continue
    await nextTurn()
    context.signal().throwIfAborted()
  }
  const total = Number(rows[0]?.[3] ?? 0)
  return trial.end(total < OBJECTS_PER_STEP && total === rows.length)
}
