/** Rows that their types refuse, and the tables that stopped because of one. */
import { isDeepStrictEqual } from 'node:util'
import { OqsError } from '../../client/oqs-error.ts'
import { excerptOf } from '../../formats/row.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { type SourceTable, tableName } from './source-tables.ts'
import { findType } from './sync-definition.ts'
import type { TableMapping } from './table-mapping.ts'

/** The type of a table refuses one of its rows. The message has the key of the row, and no value. */
export class RowRefused extends Error {
  readonly mapping: TableMapping
  /** Completes a sentence about the table. */
  readonly reason: string

  constructor(mapping: TableMapping, key: string, { property, reason }: Refusal) {
    const why = [property, reason].filter((part) => part !== undefined).join(' ')
    const what = `its type ${mapping.objectType} refuses the row ${excerptOf(key)}: ${why}`
    super(`${tableName(mapping.table)} cannot be copied: ${what}`)
    this.name = 'RowRefused'
    this.mapping = mapping
    this.reason = what
  }
}

/** What the service says about a line that it refuses. */
interface Refusal {
  readonly line?: number
  readonly property?: string
  readonly reason?: string
}

/** Returns why the service refuses a request; undefined if that is not because of one line. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof OqsError)) return undefined
  if (!['InvalidBatchLine', 'ConstraintViolated'].includes(error.errorName)) return undefined
  const [refusal] = error.parameters['refused'] as readonly Refusal[]
  return refusal
}

/** Returns the error for the objects that a request puts. */
export function refusedObject(error: unknown, mapping: TableMapping, lines: string): unknown {
  const refusal = refusalOf(error)
  if (refusal === undefined) return error
  const text = lines.split('\n', refusal.line)[(refusal.line ?? 0) - 1] ?? '{}'
  const { put = {} } = JSON.parse(text) as { put?: Record<string, unknown> }
  return new RowRefused(mapping, String(put[mapping.primaryKey]), refusal)
}

interface StoppedTable {
  readonly reason: string
  readonly objectType: string
  /** The table and its type at that time: once one of them has changed, the row may fit. */
  readonly table: SourceTable
  readonly type: ObjectTypeDefinition | undefined
}

/** The tables of which this process knows a row that their types refuse, by their OIDs. */
export class RefusedRows {
  readonly #stopped = new Map<number, StoppedTable>()

  add(
    { mapping: { table, objectType }, reason }: RowRefused,
    definition: OntologyDefinition,
  ): void {
    const type = findType(definition, objectType)
    this.#stopped.set(table.oid, { reason, objectType, table, type })
  }

  /** Returns why a table has stopped; undefined if it has not, or may be copied again. */
  find(table: SourceTable, definition: OntologyDefinition): string | undefined {
    const stopped = this.#stopped.get(table.oid)
    if (stopped === undefined) return undefined
    const type = findType(definition, stopped.objectType)
    if (isDeepStrictEqual([stopped.table, stopped.type], [table, type])) return stopped.reason
    this.#stopped.delete(table.oid)
    return undefined
  }
}
