/** What a peer is: another service that people could use for the same walk and query. */
import { execFile } from 'node:child_process'
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { StoreName } from '../../measure/command-line.ts'
import type { Call } from '../../measure/connection.ts'
import type { ServerCommand } from '../../measure/server.ts'
import type { Workspace } from '../../measure/workspace.ts'

/** The walk reads all objects in key order, the query those of one category. */
export type PeerQuery = 'walk' | 'query'

export const CATEGORY = 'rotor'

export interface Peer {
  readonly name: string
  /** The store of the service that it is compared with. */
  readonly store: StoreName
  /** For the report. */
  readonly settings: string
  /** Throws `PeerMissing` when the peer is not installed. */
  prepare(setup: PeerSetup): Promise<PeerCommand>
  /** Builds the request for the page that a token names, or for the first page. */
  call(query: PeerQuery, pageSize: number, token: string | undefined): Call
  read(page: unknown): PeerPage
}

export interface PeerSetup {
  readonly workspace: Workspace
  readonly objects: number
  readonly port: number
  /** Creates a PostgreSQL database with the objects in a table; returns its URL. */
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

/** The peer is not installed, which is not a failure of the run. */
export class PeerMissing extends Error {}

export interface Program {
  readonly file: string
  readonly version: string
}

/** Finds a program on the PATH. */
export async function findProgram(name: string): Promise<Program> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const file = folders.map((folder) => join(folder, name)).find(isExecutable)
  if (file === undefined) throw new PeerMissing(`${name} is not on the PATH`)
  const { stdout } = await promisify(execFile)(file, ['--version'])
  return { file, version: /\d[\w.-]*/.exec(stdout)?.[0] ?? 'of unknown version' }
}

/** Installs a package into the folder of the run; returns that folder. */
export async function npmInstall(
  workspace: Workspace,
  name: string,
  version: string,
): Promise<string> {
  const folder = join(workspace.folder, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  const options = { cwd: folder, timeout: 300_000 }
  await promisify(execFile)('npm', ['install', ...flags, `${name}@${version}`], options).catch(
    ({ stderr = '' }: { readonly stderr?: string }) => {
      // Only the code: the rest of the message names hosts and paths.
      const code = /npm error code (\w+)/.exec(stderr)?.[1] ?? 'unknown error'
      throw new PeerMissing(`npm could not install ${name}@${version} (${code})`)
    },
  )
  return folder
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
