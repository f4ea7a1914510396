/** Tries a change of a definition on stored objects, in a reader process. See sql/try-objects.ts. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import { readDefinition } from '../../core/definitions/ontology-rows.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import { decodeChange, type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import { type NextObjects, StepTrial, type TriedStep } from '../../sql/try-objects.ts'
import { runIn } from '../file/sqlite-session.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { publishedRows } from '../staged/staged-record.ts'

/** The objects and the characters of one step, which takes about half a second. */
const STEP = { objects: 50_000, length: 32_000_000 } as const

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
    const { typeRid, basedOn, after } = request
    const row = reading.db
      .prepare(
        `SELECT t.table_id, t.generation, t.published, o.is_created,
           (SELECT version FROM oqs_staged_write WHERE table_id = o.id) AS staged
         FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
      )
      .get(typeRid)
    if (row !== undefined && Number(row['generation']) > basedOn) throw definitionOutOfSync()
    const trial = new StepTrial(converterOf(reading, request), after)
    if (row?.['is_created'] !== 1) return trial.end(true)
    const table = Number(row['table_id'])
    const staged = row['staged'] === null ? undefined : Number(row['staged'])
    const { sql, values } = publishedRows({ table, published: Number(row['published']), staged })
    const objects = reading.db
      .prepare(
        `SELECT pk, key, body FROM ${objectTable(table)} WHERE ${sql} AND pk > ? ORDER BY pk`,
      )
      .iterate(...values, after)
    let length = 0
    for (const object of objects) {
      if (trial.tried >= STEP.objects || length >= STEP.length) return trial.end(false)
      const body = String(object['body'])
      length += body.length
      trial.add(String(object['pk']), String(object['key']), body)
    }
    return trial.end(true)
  })
}

function converterOf(
  { session, converters }: ReadConnection,
  { changeId, change, typeRid }: TryStepRequest,
): TypeConverter {
  const name = `${changeId} ${typeRid}`
  const known = converters.get(name)
  if (known !== undefined) return known
  const plan = decodeChange(change)
  const before = runIn({ session }, () => readDefinition(session, plan.definition.rid ?? ''))
  if (before === undefined) throw definitionOutOfSync()
  const converter = typeConverter(before, plan, typeRid)
  converters.set(name, converter)
  return converter
}
