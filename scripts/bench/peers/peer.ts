/** What a peer is: another service that people could use for the same walk and query. */
import type { StoreName } from '../../measure/command-line.ts'
import type { Call } from '../../measure/connection.ts'
import type { ServerCommand } from '../../measure/server.ts'

/** The walk reads all objects in key order, the query those of one category. */
export type PeerQuery = 'walk' | 'query'

export const CATEGORY = 'rotor'

export interface Peer {
  readonly name: string
  /** The store of the service that it is compared with. */
  readonly store: StoreName
  /** For the report. */
  readonly settings: string
  /** Installs the peer if possible, and fills its database. */
  prepare(setup: PeerSetup): Promise<PeerCommand>
  /** Builds the request for the page that a token names, or for the first page. */
  call(query: PeerQuery, pageSize: number, token: string | undefined): Call
  read(page: unknown): PeerPage
}

export interface PeerSetup {
  /** An empty folder. */
  readonly folder: string
  readonly objects: number
  readonly port: number
  /** Creates an empty PostgreSQL database and returns its URL. */
  createDatabase(): Promise<string>
}

export interface PeerCommand extends ServerCommand {
  readonly version: string
  /** A path that succeeds when the peer is ready. */
  readonly readyPath: string
}

export interface PeerPage {
  readonly objects: readonly Readonly<Record<string, unknown>>[]
  readonly token: string | undefined
}
