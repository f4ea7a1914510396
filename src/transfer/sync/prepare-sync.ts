/** Finds out whether a sync has to copy or to follow, and prepares the source and the ontology. */
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { readDefinition } from '../import/change-definition.ts'
import {
  chooseTables,
  matchTables,
  type TableChoice,
  typeNames,
  withoutObstacles,
} from './choose-tables.ts'
import { connectSource } from './connect-source.ts'
import { findObstacle, type InferredTables, inferTables } from './infer-tables.ts'
import {
  describeCopied,
  ensurePublication,
  findGap,
  findLostChange,
  type Publication,
  readPublication,
  recordCopied,
} from './publication.ts'
import {
  dropSlot,
  readForgottenSlots,
  readPosition,
  readSlot,
  slotName,
} from './replication-slot.ts'
import { readTables, type SourceTable, tableName } from './source-tables.ts'
import { extendDefinition, extended, findType, mapTables } from './sync-definition.ts'
import type { TableMapping } from './table-mapping.ts'
import { ownerName, type TypeOwners } from './type-owners.ts'

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
  /** How often syncs had copied to the ontology before its types were checked. */
  readonly claims: number
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
  readonly owners: TypeOwners
  readonly signal: AbortSignal
  readonly onNote: (text: string) => void
}

/** Returns undefined if the sync must be restarted, because the source did not replicate a change. */
export async function prepareSync(
  endpoints: Endpoints,
  request: PrepareRequest,
): Promise<PreparedSync | undefined> {
  const { url, ontology, owners, onNote } = request
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
    const claims = await owners.countClaims()
    const followed = await continueTables(client, name, all, request)
    if (followed === undefined) return undefined
    const mappings = mapTables(current, infer(request, followed), onNote)
    await owners.check(current, namesOf(mappings), await readOwner(client, name))
    return { slot: name, mappings, claims, start: { confirmed: slot.confirmed, now } }
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
    const owner = name && (await readOwner(client, name))
    await owners.checkReplaced(current, namesOf(planned), owner)
  }
  const definition = await extendDefinition(endpoints, ontology, inferred, request.signal)
  const newName = slotOf(definition, request) ?? ''
  const mappings = mapTables(definition, inferred, onNote)
  noteDropped(await readPublication(client, newName), tables, onNote)
  await ensurePublication(client, newName, tables, { replaces: request.restart })
  // A name that was passed does not say whose slots are similar.
  const forgotten = request.slot === undefined ? await readForgottenSlots(client, newName) : []
  for (const other of forgotten) {
    onNote(
      `the replication slot ${other} of another sync keeps the source from removing changes; if no service uses it any more, drop it with --drop-slot --slot ${other}`,
    )
  }
  await owners.claim(definition, namesOf(mappings), await readOwner(client, newName))
  return { slot: newName, mappings, claims: 0, start: undefined }
}

/** Returns the tables to follow from the slot; undefined if a change was not replicated. */
async function continueTables(
  client: Client,
  name: string,
  all: readonly SourceTable[],
  request: PrepareRequest,
): Promise<readonly SourceTable[] | undefined> {
  const { onNote } = request
  const publication = await readPublication(client, name)
  const published = publication?.tables ?? new Set()
  const isPublished = ({ oid }: SourceTable) => published.has(oid)
  const isNew = (table: SourceTable) => !isPublished(table)
  const followed = all.filter(isPublished)
  const added = matchTables(all, request).filter(isNew)
  const wanted = request.table === undefined ? followed : [...followed, ...added]
  const gap = findGap(
    publication,
    wanted.map(({ oid }) => oid),
  )
  if (gap !== undefined) {
    throw new Error(
      `The publication ${name} ${gap}, so changes are missing. Run the command with --restart to copy the tables again.`,
    )
  }
  for (const table of followed) {
    const obstacle = findObstacle(table)
    if (obstacle === undefined) continue
    throw new Error(
      `${tableName(table)} cannot be followed any more: it ${obstacle}. Change that, then run the command with --restart.`,
    )
  }
  const addable = withoutObstacles(added, (table, obstacle) =>
    onNote(`${tableName(table)} is left out: it ${obstacle}`),
  )
  for (const table of addable) {
    onNote(`${tableName(table)} is new and left out; --restart copies all tables again`)
  }
  const copied = publication?.copied ?? {}
  for (const table of followed) {
    const lost = findLostChange(table, copied[tableName(table)])
    if (lost === undefined) continue
    onNote(`a partition of ${tableName(table)} was ${lost}; all tables are copied again`)
    return undefined
  }
  noteDropped(publication, followed, onNote)
  const known = { ...copied, ...describeCopied(followed) }
  if (!isDeepStrictEqual(copied, known)) await recordCopied(client, name, known)
  return followed
}

/** Says which tables have gone: nothing else tells that their objects are old. */
function noteDropped(
  publication: Publication | undefined,
  tables: readonly SourceTable[],
  onNote: (text: string) => void,
): void {
  const present = new Set(tables.map(tableName))
  for (const name of Object.keys(publication?.copied ?? {})) {
    if (present.has(name)) continue
    onNote(
      `${name} is not followed any more: it was dropped, renamed or left out; its object type keeps its objects until you delete it with oqs ontology delete`,
    )
  }
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
