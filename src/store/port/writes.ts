/** Writes as they cross the port. Each one is a commit: one transaction, one version. */
import type { AuditRecord } from '../../contract/audit-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { StoredObject } from '../../ontology/values/read-object.ts'
import type { Query } from '../../query/query.ts'

export type Change =
  | { readonly put: StoredObject }
  /** The stored form of the key. */
  | { readonly delete: string }

/** Changes that only the store can read. They are moved between threads, not copied. */
export interface EncodedChanges {
  readonly count: number
  readonly content: unknown
  /** The buffers of the content. */
  readonly transfer: readonly ArrayBuffer[]
}

/** Some changes of a batch. All parts of a batch are lists, or all are encoded. */
export type ChangePart = readonly Change[] | EncodedChanges

export function isEncoded(part: ChangePart): part is EncodedChanges {
  return !Array.isArray(part)
}

/** What every write names. */
export interface WriteTarget {
  readonly objectType: ObjectType
  /** The generation of the catalogue that the request was validated against. */
  readonly basedOn: number
  /** Applies the write at most once; undefined applies it each time. */
  readonly idempotencyKey?: IdempotencyKey | undefined
}

/**
 * Changes of one object type, applied atomically. If a batch changes an object several times, the
 * last change wins, or the first if existing objects are kept.
 */
export interface Batch extends WriteTarget {
  /** A list or a stream. If the stream fails, the commit fails and nothing is written. */
  readonly changes: readonly Change[] | AsyncIterable<ChangePart>
  /** The replacement to add to; undefined for the visible objects. */
  readonly replacement?: string | undefined
  /** Whether putting an existing object leaves it unchanged. */
  readonly keepsExisting?: boolean
  /** What the commit notes about its only object, which it puts; see `Commit.note`. */
  readonly notes?: PutNotes | undefined
}

/** Notes for an object that did not exist before, and for one that did. */
export interface PutNotes {
  readonly created: string
  readonly replaced: string
}

/**
 * Transactions of another database. All of them are applied in order, or none is: each is one commit,
 * over all the types that it changes. Those up to the stored position are skipped.
 */
export interface SourceTransactions extends SourceId {
  /** The generation of the catalogue that the request was validated against. */
  readonly basedOn: number
  readonly transactions: readonly SourceTransaction[]
}

/** A source of an ontology, by a name that its writer has chosen. */
export interface SourceId {
  readonly ontologyRid: string
  readonly source: string
}

export interface SourceTransaction {
  /** Where the source is after the transaction; sorts behind those of earlier transactions. */
  readonly position: string
  /** At most one for each object type. */
  readonly batches: readonly TransactionBatch[]
}

export interface TransactionBatch {
  readonly objectType: ObjectType
  readonly changes: readonly Change[]
}

export interface AppliedTransactions {
  /** The position that is stored now. */
  readonly position: string
  /** The number of transactions that were not skipped. */
  readonly applied: number
}

/**
 * What publishing a replacement does to the objects of the type: `replace` deletes all of them,
 * `upsert` keeps those that the replacement does not have, and `append` keeps all of them.
 */
export type PublishMode = 'replace' | 'upsert' | 'append'

/** Changes of a few objects that depend on their current state. */
export interface Edit extends WriteTarget {
  /** The stored form of the keys whose objects `decide` needs. */
  readonly keys: readonly string[]
  /** The most bytes that these objects may have together; more are refused before they are read. */
  readonly maxCurrentBytes?: number
  /**
   * Returns the changes, given the current objects by key. No other write of these objects happens
   * between this call and the commit. It may be called several times, so it must have no effects;
   * if it throws, nothing is written.
   */
  readonly decide: (
    current: ReadonlyMap<string, CurrentObject>,
  ) => EditDecision | Promise<EditDecision>
}

export interface EditDecision {
  readonly changes: readonly Change[]
  /** Kept with the key of the request, and returned with the commit; see `Commit.note`. */
  readonly note?: string
}

/** An object as it is stored. */
export type CurrentObject = Omit<StoredObject, 'searchable'>

/** Deletes all objects that match a query at the moment of the commit. */
export interface DeleteRequest extends WriteTarget {
  /** Without links to other types, whose objects may change at any time. */
  readonly query: Query
}

/**
 * The idempotency key of a request. The store records it in the transaction of the commit, with the
 * result. A later write with the same key gets that result and changes nothing.
 */
export interface IdempotencyKey {
  readonly callerId: string
  readonly key: string
  /** Identifies the request. Called after its body was read. */
  readonly fingerprint: () => string
  readonly nowMs: number
  readonly expiresAtMs: number
}

/**
 * The key of a request that writes no objects, with the response that a repeated request gets. The
 * store records both in the transaction of the write. If the key is recorded already, the write
 * fails with `IdempotencyKeyReused`, and `findEarlierCommit` returns what was recorded.
 */
export interface IdempotencyNote extends IdempotencyKey {
  readonly note: string
}

export interface Commit {
  /** The version that holds the changes, or the current one if nothing changed. */
  readonly version: number
  /** Objects that were written. */
  readonly put: number
  /** Objects that existed and were deleted. */
  readonly deleted: number
  /** Objects that existed and were left unchanged. */
  readonly kept: number
  /** The note of the write, which a repeated request gets as well. */
  readonly note?: string
  /** True if an earlier request with the same key was committed instead of this one. */
  readonly isRepeated?: boolean
  /** The record that the commit added to the audit log. Only within a store. */
  readonly record?: AuditRecord
}

/** A batch with at most this many changes is not encoded, because it may share a commit. */
export const FEW_CHANGES = 100
/** The length of the bodies up to which few changes may share a commit. */
export const FEW_CHANGES_LENGTH = 256 * 1024

/**
 * How a batch gets the form in which a store writes it. A thread that parses a large batch also
 * encodes it, so that the main thread passes on buffers instead of objects.
 */
export interface ChangeEncoding {
  /** The URL of a module that exports `createEncoder`, for the thread to import. */
  readonly module: string
  /** Returns what the encoder needs to know about a type, as a message to the thread. */
  readonly optionsFor: (objectType: ObjectType) => Promise<unknown>
}

export type CreateEncoder = (objectType: ObjectType, options: unknown) => ChangeEncoder

/** Encodes the changes of one batch. */
export interface ChangeEncoder {
  /** Takes one change after the other, so that the earlier ones can be collected as garbage. */
  readonly encode: (changes: Iterable<Change>) => EncodedChanges
  /** Returns what is known only at the end of the batch. */
  readonly finish: () => readonly EncodedChanges[]
}
