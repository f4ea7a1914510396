/** Writes the changes of several small commits in one transaction. */

import { ObjectQueryError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { deduplicateChanges, typeOutOfSync } from '../../batch-rules.ts'
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import { auditCommit } from '../../core/audit/stored-audit-log.ts'
import type { TableOfType } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import { countsUpdate, type PublishedVersion, publication } from '../../core/commits/commit-log.ts'
import { noteOfPut } from '../../core/commits/commit-write.ts'
import {
  type LockedType,
  lockType,
  readTableOf,
  type WriteTable,
} from '../../core/commits/locked-type.ts'
import {
  findEarlierCommit,
  recordCommit,
  toKeyMessage,
} from '../../core/idempotency/idempotency-keys.ts'
import type { Batch, Change, Commit, Edit, EditDecision, WriteTarget } from '../../port/writes.ts'
import type { FieldColumns, KnownFieldColumns } from '../catalogue/field-columns.ts'
import { writeToTable } from '../catalogue/missing-tables.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { POSTGRES_DIALECT, runIn } from '../driver/postgres-session.ts'
import { Vocabulary } from '../text/save-terms.ts'
import { hasGrownMuch } from './commit-write.ts'
import { addRows, encodeObjects } from './copy-rows.ts'
import { closeRowsAt, existingKeys, readCurrent } from './current-rows.ts'

/** A write that may share a transaction. */
export interface SmallWrite
  extends WriteTarget,
    AuditedWrite,
    Pick<Edit, 'decide'>,
    Pick<Batch, 'notes'> {
  /** The keys of the objects that it changes. */
  readonly keys: readonly string[]
  /** Whether `decide` needs the current objects. */
  readonly readsCurrent: boolean
}

/** How one write of a group ended. */
export type Outcome = { readonly commit: Commit } | { readonly error: unknown }

export interface GroupResult {
  /** In the order of the writes. */
  readonly outcomes: readonly Outcome[]
  /** The table, if it has grown so much that its statistics are outdated. */
  readonly grown: number | undefined
}

/** A write that takes part in the commit, with one change per object. */
interface DecidedWrite {
  readonly write: SmallWrite
  readonly puts: readonly StoredObject[]
  readonly deletes: readonly string[]
  readonly note: string | undefined
}

export interface GroupContext extends Pick<PostgresContext, 'capabilities'> {
  readonly fields: KnownFieldColumns
}

/** Locks a type, then takes the writes that wait by now, and writes their changes. */
export async function writeGroup(
  session: WriteSession,
  { capabilities, fields }: GroupContext,
  rid: string,
  takeWrites: () => readonly SmallWrite[],
): Promise<GroupResult> {
  // The table is read when the type is locked: until then, another writer may change it.
  const [type, table] = await session.together(() => [
    runIn(session, (core) => lockType(core, rid, 'commit')),
    runIn(session, (core) => readTableOf(core, rid)),
  ])
  const writes = takeWrites()
  if (type === undefined || table === undefined) {
    return { outcomes: writes.map(() => ({ error: typeOutOfSync(rid) })), grown: undefined }
  }
  const outcomes = new Map<SmallWrite, Outcome>()
  const decided = await decideAll(session, type, table, writes, outcomes)
  const commits = await versionsOf(session, type, table, decided)
  const objects = commits.flatMap(({ puts }) => puts)
  const target = { ...table, typeId: type.id, isQuick: true }
  const { closed, liveCount, maxRecordBytes } = await writeToTable(
    session,
    capabilities,
    target,
    objects.length,
    () => writeRows(session, capabilities, target, commits, () => fields.read(session, type)),
  )
  const versions = commits.filter(({ puts, deletes }) => puts.length + deletes.length > 0)
  if (versions.length > 0) {
    const counts = { liveCount, maxRecordBytes, closed: closed.size }
    session.runLast([
      countsUpdate(table.id, counts),
      ...publication(POSTGRES_DIALECT, type.id, versions.map(countsOf)),
    ])
  }
  for (const one of commits) {
    const { write, puts, deletes } = one
    const isReplaced = puts.some(({ pk }) => closed.has(pk))
    const { note = noteOfPut(write.notes, isReplaced) } = one
    const counts = countsOf(one)
    const commit = note === undefined ? counts : { ...counts, note }
    const keys = [...puts.map(({ pk }) => pk), ...deletes]
    const done = await runIn(session, function* (core) {
      yield* recordCommit(core, toKeyMessage(write.idempotencyKey), commit)
      return yield* auditCommit(core, write.audit, commit, keys)
    })
    outcomes.set(write, { commit: done })
  }
  return {
    outcomes: writes.map((write) => outcomes.get(write) ?? { error: new Error('no outcome') }),
    grown: hasGrownMuch(liveCount, table.liveCount) ? table.id : undefined,
  }
}

function countsOf({ version, puts, deletes }: VersionedWrite): PublishedVersion {
  return { version, put: puts.length, deleted: deletes.length, kept: 0 }
}

/** Lets each write decide its changes. Those that are refused or repeated get their outcome. */
async function decideAll(
  session: WriteSession,
  type: LockedType,
  table: WriteTable,
  writes: readonly SmallWrite[],
  outcomes: Map<SmallWrite, Outcome>,
): Promise<DecidedWrite[]> {
  const keys = writes.flatMap((write) => (write.readsCurrent ? write.keys : []))
  const current = await readCurrent(session, table, keys)
  const decided: DecidedWrite[] = []
  for (const write of writes) {
    const outcome = await findEarlierOutcome(session, type, write)
    if (outcome !== undefined) {
      outcomes.set(write, outcome)
      continue
    }
    const own = new Map(write.keys.flatMap((key) => [...entryOf(current, key)]))
    try {
      decided.push(toDecidedWrite(write, await write.decide(own)))
    } catch (error) {
      outcomes.set(write, { error })
    }
  }
  refuseSharedObjects(decided)
  return decided
}

function entryOf<T>(map: ReadonlyMap<string, T>, key: string): [string, T][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}

/** Returns the outcome of a write that was committed before, or that its definition rules out. */
async function findEarlierOutcome(
  session: WriteSession,
  type: LockedType,
  { idempotencyKey, basedOn, objectType }: SmallWrite,
): Promise<Outcome | undefined> {
  try {
    const commit = await runIn(session, (core) =>
      findEarlierCommit(core, toKeyMessage(idempotencyKey)),
    )
    if (commit !== undefined) return { commit }
  } catch (error) {
    if (error instanceof ObjectQueryError) return { error }
    throw error
  }
  return type.generation > basedOn ? { error: typeOutOfSync(objectType.rid) } : undefined
}

function toDecidedWrite(write: SmallWrite, { changes, note }: EditDecision): DecidedWrite {
  const settled = deduplicateChanges<Change>(
    changes,
    (change) => ('put' in change ? change.put.pk : change.delete),
    false,
  )
  return {
    write,
    puts: settled.flatMap((change) => ('put' in change ? [change.put] : [])),
    deletes: settled.flatMap((change) => ('delete' in change ? [change.delete] : [])),
    note,
  }
}

/** An edit may change other objects than it named. Each write is then committed alone. */
function refuseSharedObjects(decided: readonly DecidedWrite[]): void {
  const keys = decided.flatMap(({ puts, deletes }) => [...puts.map(({ pk }) => pk), ...deletes])
  if (new Set(keys).size < keys.length) throw new Error('two writes change the same object')
}

interface VersionedWrite extends DecidedWrite {
  readonly version: number
}

/** Gives each write the next version, unless it changes nothing. */
async function versionsOf(
  session: WriteSession,
  type: LockedType,
  table: WriteTable,
  decided: readonly DecidedWrite[],
): Promise<VersionedWrite[]> {
  const deleted = decided.flatMap(({ deletes }) => deletes)
  const existing = await existingKeys(session, table, deleted)
  let version = type.published
  let next = type.lastVersion + 1
  return decided.map((one) => {
    const deletes = one.deletes.filter((key) => existing.has(key))
    if (one.puts.length + deletes.length > 0) {
      version = next
      next += 1
    }
    return { ...one, deletes, version }
  })
}

interface WrittenRows extends Pick<WriteTable, 'liveCount' | 'maxRecordBytes'> {
  /** The keys of the objects that existed before. */
  readonly closed: ReadonlySet<string>
}

/** Closes and adds the rows of all writes. Returns the counts of the table, and the closed keys. */
async function writeRows(
  session: WriteSession,
  capabilities: Capabilities,
  table: WriteTable & TableOfType,
  commits: readonly VersionedWrite[],
  readFields: () => Promise<readonly FieldColumns[]>,
): Promise<WrittenRows> {
  const changed = commits.flatMap(({ version, puts, deletes }) =>
    [...puts.map(({ pk }) => pk), ...deletes].map((key) => [key, version] as const),
  )
  const close = () => closeRowsAt(session, table, changed)
  const versionOf = new Map(changed)
  const objects = commits.flatMap(({ puts }) => puts)
  const fields = objects.length === 0 ? [] : await readFields()
  const vocabulary = new Vocabulary()
  const encoded = await encodeObjects(fields, objects, vocabulary)
  const version = (key: string) => ({ from: versionOf.get(key) ?? 0, to: NEVER_CLOSED })
  const target = { ...table, fields, version }
  const closed = await addRows(session, capabilities, target, encoded, close)
  await vocabulary.saveLast(session)
  return {
    closed,
    liveCount: table.liveCount + objects.length - closed.size,
    maxRecordBytes: Math.max(table.maxRecordBytes, encoded.facts.maxRecordBytes),
  }
}
