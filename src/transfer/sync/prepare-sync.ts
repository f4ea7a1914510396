/** Finds out whether a sync has to copy or to follow, and prepares the source and the ontology. */
import type { Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { readDefinition } from '../import/change-definition.ts'
import { chooseTables, type TableChoice, typeNames } from './choose-tables.ts'
import { connectSource } from './connect-source.ts'
import { type InferredTables, inferTables } from './infer-tables.ts'
import {
  dropSlot,
  ensurePublication,
  readForgottenSlots,
  readPosition,
  readPublication,
  readSlot,
  slotName,
} from './replication-slot.ts'
import { readTables, tableName } from './source-tables.ts'
import { extendDefinition, findType, mapTables } from './sync-definition.ts'
import type { TableMapping } from './table-mapping.ts'

export interface SyncRequest extends TableChoice {
  /** The URL of the source. */
  readonly url: string
  readonly ontology: string
  /** The object type of the only table. */
  readonly type?: string | undefined
  /** The name of slot and publication; derived from ontology and tables by default. */
  readonly slot?: string | undefined
  /** Drops the slot and copies again. */
  readonly restart: boolean
}

export interface PreparedSync {
  readonly slot: string
  readonly mappings: readonly TableMapping[]
  /** Undefined if the tables must be copied. */
  readonly start: StartPosition | undefined
}

export interface StartPosition {
  /** The changes before it are confirmed. */
  readonly confirmed: bigint
  /** The position of the source now. */
  readonly now: bigint
}

interface PrepareRequest extends SyncRequest {
  /** Whether this process has followed the slot already. */
  readonly isFollowing: boolean
  readonly signal: AbortSignal
  readonly onNote: (text: string) => void
}

export async function prepareSync(
  endpoints: Endpoints,
  request: PrepareRequest,
): Promise<PreparedSync> {
  const { url, ontology, onNote } = request
  await using client = await connectSource(url)
  await checkWalLevel(client)
  const now = await readPosition(client)
  const all = await readTables(client)
  const current = await readDefinition(endpoints.administration, ontology)
  const name = current && slotOf(current, request)
  if (name !== undefined && request.restart) await dropSlot(client, name)
  const slot = name === undefined ? undefined : await readSlot(client, name)
  if (slot !== undefined && name !== undefined && current !== undefined) {
    if (slot.isLost) {
      throw new Error(
        `The source has removed changes that the replication slot ${name} needs (max_slot_wal_keep_size). Run the command with --restart to copy the tables again.`,
      )
    }
    const published = (await readPublication(client, name)) ?? new Set()
    const followed = all.filter(({ oid }) => published.has(oid))
    const left = chooseTables(all, request, onNote).filter(({ oid }) => !published.has(oid))
    if (followed.length === 0 || (request.table !== undefined && left.length > 0)) {
      throw new Error(
        `The publication ${name} does not have the tables any more. Run the command with --restart to copy them again.`,
      )
    }
    for (const table of left) {
      onNote(`${tableName(table)} is new and left out; --restart copies all tables again`)
    }
    const mappings = mapTables(current, infer(request, followed), onNote)
    return { slot: name, mappings, start: { confirmed: slot.confirmed, now } }
  }
  if (request.isFollowing) {
    throw new Error(
      `The replication slot ${name ?? ''} was dropped, so changes may be missing. Run the command again to copy the tables again.`,
    )
  }
  const tables = chooseTables(all, request, onNote)
  const inferred = infer(request, tables)
  for (const note of inferred.notes) onNote(note)
  const definition = await extendDefinition(endpoints, ontology, inferred, request.signal)
  const newName = slotOf(definition, request) ?? ''
  const mappings = mapTables(definition, inferred, onNote)
  const isContinued = request.restart || (await readPublication(client, newName)) !== undefined
  if (!isContinued) await checkEmpty(endpoints, ontology, mappings)
  await ensurePublication(client, newName, tables)
  for (const forgotten of await readForgottenSlots(client, newName)) {
    onNote(
      `the replication slot ${forgotten} of an earlier sync keeps the source from removing changes; drop it with --drop-slot --slot ${forgotten}`,
    )
  }
  return { slot: newName, mappings, start: undefined }
}

/** Drops the slot and the publication of a sync. Returns their name. */
export async function dropSync(endpoints: Endpoints, request: SyncRequest): Promise<string> {
  const current = await readDefinition(endpoints.administration, request.ontology)
  const name = request.slot ?? (current && slotOf(current, request))
  if (name === undefined) {
    throw new Error(
      `The ontology ${request.ontology} has no such type, so the name of the slot is not known. Pass it with --slot.`,
    )
  }
  await using client = await connectSource(request.url)
  await dropSlot(client, name)
  return name
}

/** Returns the name of slot and publication; undefined before the type exists. */
function slotOf(definition: OntologyDefinition, request: SyncRequest): string | undefined {
  const { slot, type, tables = '' } = request
  const { apiName, rid = '' } = definition
  if (slot !== undefined) return slot
  if (type === undefined) return slotName({ apiName, rid }, tables, tables)
  const found = findType(definition, type)
  return found && slotName({ apiName, rid }, type, found.rid ?? '')
}

function infer({ type }: SyncRequest, tables: Parameters<typeof inferTables>[0]): InferredTables {
  return inferTables(tables, type === undefined ? typeNames(tables) : () => type)
}

async function checkWalLevel(client: Client): Promise<void> {
  const { rows } = await client.query<{ readonly wal_level: string }>('SHOW wal_level')
  const level = rows[0]?.wal_level
  if (level === 'logical') return
  throw new Error(
    `The source has wal_level=${level}. Set wal_level=logical in its configuration and restart it.`,
  )
}

/** Refuses to replace objects that no sync has written. */
async function checkEmpty(
  { administration }: Endpoints,
  ontology: string,
  mappings: readonly TableMapping[],
): Promise<void> {
  const { objectTypes } = await administration.getObjectCounts(ontology)
  for (const { objectType } of mappings) {
    const count = objectTypes[objectType]?.count ?? 0
    if (count === 0) continue
    throw new Error(
      `${ontology} has ${count} objects of type ${objectType} that no sync has written. Pass --restart to replace them with the rows of the table.`,
    )
  }
}
