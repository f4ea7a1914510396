import type { PeerContext, PeerReport } from '../peer-report.ts'
import { showProgress } from '../progress.ts'
import { openWorkspace } from '../workspace.ts'
import { walkChecked } from './checked-walk.ts'
import { datasette } from './datasette.ts'
import { directus } from './directus.ts'
import { jsonServer } from './json-server.ts'
import {
  ASKED,
  type Peer,
  PeerMissing,
  type PeerServer,
  type PeerSetup,
  type Rival,
} from './peer.ts'
import { measurePeerRounds, type PeerCase } from './peer-rounds.ts'
import { databaseNotes, METHOD_NOTES, peerRows } from './peer-rows.ts'
import { pocketbase } from './pocketbase.ts'
import { postgraphile } from './postgraphile.ts'
import { postgrest } from './postgrest.ts'
import { startServiceOn } from './service.ts'
import { openSharedPostgres } from './shared-postgres.ts'

/** The same walk and the same query through what people would use instead. */

const PEERS: readonly Peer[] = [
  jsonServer,
  datasette,
  pocketbase,
  postgraphile,
  postgrest,
  directus,
]

/** Some of them hold everything in memory; all are asked for the same objects. */
const OBJECTS_MAX = 100_000

export async function measurePeers(context: PeerContext): Promise<PeerReport> {
  const objects = Math.min(context.objects, OBJECTS_MAX)
  using workspace = openWorkspace()
  await using postgres = await openSharedPostgres()
  await using servers = new AsyncDisposableStack()
  const cases: PeerCase[] = []
  const notes: string[] = []
  const add = async (name: string, rival: Rival, start: () => Promise<PeerServer>) => {
    showProgress(`starting ${name}`)
    const server = servers.use(await start())
    showProgress(`walking through ${name}`)
    cases.push(...(await checkedCases(name, rival, server, objects)))
    return server.settings
  }

  const onSqlite = () => startServiceOn(workspace.sqlite, workspace, objects)
  const onPostgres = () => startServiceOn(postgres.url, workspace, objects)
  await add('the service on SQLite', 'SQLite', onSqlite)
  notes.push(await add('the service on PostgreSQL', 'PostgreSQL', onPostgres))
  const setup: PeerSetup = { workspace, objects, postgres: postgres.url }
  for (const { name, rival, start } of PEERS) {
    try {
      notes.push(await add(name, rival, () => start(setup)))
    } catch (error) {
      notes.push(describeFailure(name, error))
    }
  }

  const measurements = await measurePeerRounds(cases, postgres.pid, context)
  return {
    title: `Peers, ${objects.toLocaleString('en')} objects`,
    notes: [...METHOD_NOTES, ...notes, ...databaseNotes(measurements)],
    rows: peerRows(measurements),
  }
}

async function checkedCases(
  name: string,
  rival: Rival,
  server: PeerServer,
  objects: number,
): Promise<readonly PeerCase[]> {
  const cases: PeerCase[] = []
  for (const asked of ASKED) {
    cases.push({ name, rival, asked, server, pages: await walkChecked(server, asked, objects) })
  }
  return cases
}

function describeFailure(name: string, error: unknown): string {
  const { message } = error as Error
  return error instanceof PeerMissing
    ? `${name} is missing: ${message}.`
    : `${name} could not be measured: ${message}`
}
