/**
 * Changes in the form in which a store writes them. A thread that parses a large batch also encodes
 * it, so that the main thread passes on buffers instead of objects.
 */
import type { ObjectType } from '../ontology/ontology.ts'
import type { Change, EncodedChanges } from './write-request.ts'

/** A batch with at most this many changes is not encoded, because it may share a commit. */
export const FEW_CHANGES = 100
/** The length of the bodies up to which few changes may share a commit. */
export const FEW_CHANGES_LENGTH = 256 * 1024

/** Where the changes of a batch are encoded. */
export interface ChangeEncoding {
  /** The URL of a module that exports `createEncoder`, for the thread to import. */
  readonly module: string
  /** Returns what the encoder needs to know about a type, as a message to the thread. */
  readonly optionsFor: (objectType: ObjectType) => Promise<unknown>
}

export type CreateEncoder = (objectType: ObjectType, options: unknown) => ChangeEncoder

/** Encodes the changes of one batch. */
export interface ChangeEncoder {
  readonly encode: (changes: readonly Change[]) => EncodedChanges
  /** Returns what is known only at the end of the batch. */
  readonly finish: () => readonly EncodedChanges[]
}
