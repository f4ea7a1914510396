/** A PostgreSQL server with logical decoding, and a service that is synchronised with it. */
import { Client } from 'pg'
import type { Finished } from './oqs-process.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { runCommand } from './run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from './service.ts'

export interface SyncSource extends AsyncDisposable {
  readonly server: PostgresServer
  readonly service: Service
  /** Runs statements, as one transaction if there are several. */
  sql(text: string): Promise<Record<string, unknown>[]>
  /** Runs `oqs sync` with the source and more arguments. */
  sync(...args: string[]): Promise<Finished>
  /** Returns the objects of a type, in the order of their keys. */
  objects(ontology: string, type: string): Promise<Record<string, unknown>[]>
  versionOf(ontology: string, type: string): Promise<number>
}

export async function startSyncSource(
  settingsOfServer: Readonly<Record<string, string>> = {},
): Promise<SyncSource> {
  await using parts = new AsyncDisposableStack()
  const serverSettings = { wal_level: 'logical', ...settingsOfServer }
  const server = parts.use(await startPostgresServer({ settings: serverSettings }))
  const service = parts.use(await startService())
  const client = new Client({ connectionString: server.url })
  await client.connect()
  parts.defer(() => client.end())
  const running = parts.move()
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const admin = (ontology: string) => `/api/admin/v1/ontologies/${ontology}`
  return {
    server,
    service,
    sql: async (text) => (await client.query(text)).rows,
    sync: (...args) => runCommand(['sync', server.url, ...args], settings),
    async objects(ontology, type) {
      const { text } = await service.send(`${admin(ontology)}/objects/${type}/export`)
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    },
    async versionOf(ontology, type) {
      const { body } = await service.send(`${admin(ontology)}/counts`)
      return body.objectTypes[type].version
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
