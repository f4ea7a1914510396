import type { Database } from './database.ts'

const MIN_POSTGRES_VERSION = 15

/** Throws if the release or the encoding of the database is not supported. */
export async function refuseUnsupported(database: Database): Promise<void> {
  const [row] = await database.query(
    `SELECT current_setting('server_version_num')::integer / 10000,
       current_setting('server_encoding')`,
  )
  const [release, encoding] = row ?? []
  if (Number(release) < MIN_POSTGRES_VERSION) {
    throw new Error(
      `the database is PostgreSQL ${release}: ${MIN_POSTGRES_VERSION} or newer is required`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new Error(`the database has the encoding ${encoding}: create one with the encoding UTF8`)
  }
}
