/** Finds out whether a sync has to copy or to follow, and prepares the source and the ontology. */
import type { Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { readDefinition } from '../import/change-definition.ts'
import { chooseTables, typeNames } from './choose-tables.ts'
import { connectSource } from './connect-source.ts'
import { type ContinuedTables, continueTables } from './continue-sync.ts'
import { type InferredTables, inferTables } from './infer-tables.ts'
import { formatLsn } from './lsn.ts'
import {
  ensurePublication,
  findGap,
  noteDropped,
  readPublication,
  recordTables,
} from './publication.ts'
import {
  dropSlot,
  readForgottenSlots,
  readPosition,
  readSlot,
  slotName,
} from './replication-slot.ts'
import { readTables } from './source-tables.ts'
import { extendDefinition, extended, findType, mapTables } from './sync-definition.ts'
import { deleteReport } from './sync-reporter.ts'
import type { PrepareRequest, SyncRequest } from './sync-request.ts'
import type { TableMapping } from './table-mapping.ts'
import { recordOf, type TableRecord, type TableRecords } from './table-record.ts'
import { ownerName } from './type-owners.ts'

export interface PreparedSync extends ContinuedTables {
  readonly slot: string
  /** How often syncs had copied to the ontology before its types were checked. */
  readonly claims: number
  /** Undefined before the first copy. */
  readonly start: StartPosition | undefined
}

export interface StartPosition {
  /** The changes before it are confirmed. */
  readonly confirmed: bigint
  /** The position of the source now. */
  readonly now: bigint
}

export async function prepareSync(
  endpoints: Endpoints,
  request: PrepareRequest,
): Promise<PreparedSync> {
  const { url, ontology, owners, onOwner, onNote } = request
  await using client = await connectSource(url)
  await checkWalLevel(client)
  const now = await readPosition(client)
  const all = await readTables(client)
  const current = await readDefinition(endpoints.administration, ontology)
  const name = current && slotOf(current, request)
  const owner = name && (await readOwner(client, name))
  if (name !== undefined && request.restart) await dropSlot(client, name)
  const slot = name === undefined ? undefined : await readSlot(client, name)
  if (slot !== undefined && owner !== undefined && name !== undefined && current !== undefined) {
    onOwner(owner)
    if (slot.isLost) {
      throw new Error(
        `The source has removed changes that the replication slot ${name} needs (max_slot_wal_keep_size). Run the command with --restart to copy the tables again.`,
      )
    }
    const claims = await owners.countClaims()
    const publication = await readPublication(client, name)
    const gap = findGap(publication, [...(publication?.tables ?? [])])
    if (publication === undefined || gap !== undefined) {
      throw new Error(
        `The publication ${name} ${gap}, so changes are missing. Run the command with --restart to copy the tables again.`,
      )
    }
    const source = { client, slot: name, publication, all, current, owner }
    const continued = await continueTables(endpoints, source, request)
    return { slot: name, ...continued, claims, start: { confirmed: slot.confirmed, now } }
  }
  if (request.isFollowing && !request.restart) {
    throw new Error(
      `The replication slot ${name ?? ''} was dropped, so changes may be missing. Run the command again to copy the tables again.`,
    )
  }
  const tables = chooseTables(all, request, onNote)
  const inferred = infer(request, tables)
  for (const note of inferred.notes) onNote(note)
  // Before the definition is changed, all types are checked.
  const planned = mapTables(extended(current, ontology, inferred), inferred, onNote)
  if (current !== undefined && !request.restart) {
    await owners.checkReplaced(current, namesOf(planned), owner)
  }
  const definition = await extendDefinition(endpoints, ontology, inferred, request)
  const newName = slotOf(definition, request) ?? ''
  const mappings = mapTables(definition, inferred, onNote)
  noteDropped(await readPublication(client, newName), tables, onNote)
  await ensurePublication(client, newName, tables, { replaces: request.restart })
  await recordTables(client, newName, recordsOf(mappings))
  // A name that was passed does not say whose slots are similar.
  const forgotten = request.slot === undefined ? await readForgottenSlots(client, newName) : []
  for (const other of forgotten) {
    onNote(
      `the replication slot ${other} of another sync keeps the source from removing changes; if no service uses it any more, drop it with --drop-slot --slot ${other}`,
    )
  }
  const newOwner = await readOwner(client, newName)
  await owners.claim(definition, namesOf(mappings), newOwner)
  onOwner(newOwner)
  const unknown = { tables: [], stopped: new Map(), claims: 0, start: undefined }
  return { slot: newName, mappings, toCopy: mappings, definition, ...unknown }
}

/** Drops the slot and the publication of a sync. Returns their name, and whether there were any. */
export async function dropSync(
  endpoints: Endpoints,
  request: SyncRequest,
): Promise<{ readonly name: string; readonly isDropped: boolean }> {
  const current = await readDefinition(endpoints.administration, request.ontology)
  const name = request.slot ?? (current && slotOf(current, request))
  if (name === undefined) {
    throw new Error(
      `The ontology ${request.ontology} has no such type, so the name of the slot is not known. Pass it with --slot.`,
    )
  }
  await using client = await connectSource(request.url)
  const present = [await readSlot(client, name), await readPublication(client, name)]
  await dropSlot(client, name)
  await client.query(`DROP PUBLICATION IF EXISTS ${name}`)
  if (current !== undefined) {
    await deleteReport(endpoints, request.ontology, await readOwner(client, name))
  }
  return { name, isDropped: present.some((one) => one !== undefined) }
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

/** Records that some tables were copied as of a position. */
export async function recordCopies(
  url: string,
  slot: string,
  mappings: readonly TableMapping[],
  position: bigint,
): Promise<void> {
  await using client = await connectSource(url)
  const records = (await readPublication(client, slot))?.records
  const copiedAt = formatLsn(position)
  await recordTables(client, slot, { ...records, ...recordsOf(mappings, { copiedAt }) })
}

/** Records that a table must be copied, because its type has refused a row of the first copy. */
export async function recordRefusal(
  url: string,
  slot: string,
  mapping: TableMapping,
): Promise<void> {
  await using client = await connectSource(url)
  const records = (await readPublication(client, slot))?.records
  await recordTables(client, slot, { ...records, ...recordsOf([mapping], { mustCopy: true }) })
}

function recordsOf(
  mappings: readonly TableMapping[],
  state: Pick<TableRecord, 'copiedAt' | 'mustCopy'> = {},
): TableRecords {
  return Object.fromEntries(
    mappings.map(({ table, objectType }) => [
      table.oid,
      { ...recordOf(table, objectType), ...state },
    ]),
  )
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

async function readOwner(client: Client, slot: string): Promise<string> {
  const { rows } = await client.query<{ readonly id: string }>(
    'SELECT system_identifier AS id FROM pg_control_system()',
  )
  return ownerName(slot, rows[0]?.id ?? '')
}

function namesOf(mappings: readonly TableMapping[]): readonly string[] {
  return mappings.map(({ objectType }) => objectType)
}
