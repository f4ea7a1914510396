import type { Call, Target } from '../http-client.ts'
import type { Workspace } from '../workspace.ts'

/** What all that are compared have in common: they answer two questions, page by page. */

/** The walk takes all objects in the order of their keys, the query those of one category. */
export type Question = 'walk' | 'query'

export interface Asked {
  readonly question: Question
  readonly pageSize: number
}

/** Search pages of the service have at most 100 objects, so the query has no larger ones. */
export const ASKED: readonly Asked[] = [
  { question: 'walk', pageSize: 100 },
  { question: 'walk', pageSize: 1000 },
  { question: 'query', pageSize: 100 },
]

export const ASKED_CATEGORY = 'rotor'

/** The store of the service that a peer is compared with: the one that is most like its own. */
export type Rival = 'SQLite' | 'PostgreSQL'

/** Something that people would use instead of the service. */
export interface Peer {
  readonly name: string
  readonly rival: Rival
  /** Throws `PeerMissing` where it cannot be had. */
  start(setup: PeerSetup): Promise<PeerServer>
}

export interface PeerSetup {
  readonly workspace: Workspace
  readonly objects: number
  /** Of any database on the PostgreSQL server that all of them share. */
  readonly postgres: string
}

/** A server in a process of its own that holds all objects. */
export interface PeerServer extends Target, AsyncDisposable {
  readonly pid: number
  /** Version and settings, for the report. */
  readonly settings: string
  /** The request of the page at a position; of the first page without one. */
  call(asked: Asked, from: Position | undefined): Call
  read(page: unknown): PeerPage
}

/** Where a page ended; each peer goes on from what its own paging needs. */
export interface Position {
  /** The key of the last object. */
  readonly key: string
  /** How many objects came up to here. */
  readonly count: number
  readonly token: string | undefined
}

export interface PeerPage {
  readonly objects: readonly Readonly<Record<string, unknown>>[]
  /** What the peer itself wants to see for the next page. */
  readonly token?: string | undefined
}

/** The peer is not there: nothing went wrong. */
export class PeerMissing extends Error {}
