import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { buildApp } from '../http/build-app.ts'
import { hashSecret } from '../http/caller.ts'
import { SALT_BYTES, TokenKeys } from '../paging/token-keys.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { Config } from './config.ts'
import { startHousekeeping } from './housekeeping.ts'
import { type Log, openLog } from './log.ts'
import { openStore } from './open-store.ts'
import { readVersion } from './version.ts'

/** A running service; disposing stops it. */
export interface Server extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  readonly log: Log
}

export interface ServerOptions {
  /** The clock, in milliseconds. */
  readonly now?: () => number
}

/** Assembles the service from its configuration and starts to listen. */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<Server> {
  const { now = Date.now } = options
  const log = openLog(config.OQS_LOG_LEVEL)
  await using parts = new AsyncDisposableStack()

  const store = parts.use(openStore(config.OQS_STORE))
  const keys = config.OQS_PAGE_TOKEN_KEYS?.reveal() ?? (await store.readPageTokenKeys())
  const admin = config.OQS_ADMIN_TOKEN?.reveal()
  parts.use(
    startHousekeeping({
      store,
      snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
      pageTokenTtlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
      now,
      log,
    }),
  )
  const version = readVersion()
  const app = await buildApp(
    {
      store,
      tokenKeys: new TokenKeys(keys, randomBytes(SALT_BYTES)),
      adminTokenHash: admin === undefined ? undefined : hashSecret(admin),
      limits: {
        pageTokenTtlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
        pageMaxBytes: config.OQS_PAGE_MAX_BYTES,
        listObjectsLimit: config.OQS_LIST_OBJECTS_LIMIT,
        query: {
          maxDepth: config.OQS_QUERY_MAX_DEPTH,
          maxTerms: config.OQS_QUERY_MAX_TERMS,
          maxTextLength: config.OQS_QUERY_MAX_TEXT_LENGTH,
        },
        aggregateMaxGroups: config.OQS_AGGREGATE_MAX_GROUPS,
      },
      now,
      newUuid: randomUUID,
      emit: log,
    },
    version,
  )
  // Stops accepting, then waits for the requests that are under way.
  parts.defer(() => app.close())
  await app.listen({ host: config.OQS_HOST, port: config.OQS_PORT })

  const { port } = app.server.address() as AddressInfo
  const host = config.OQS_HOST.includes(':') ? `[${config.OQS_HOST}]` : config.OQS_HOST
  const url = `http://${host}:${port}`
  log({ event: 'started', url, version })

  const running = parts.move()
  return { url, store, log, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
