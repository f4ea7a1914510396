import { expect, inject, it } from 'vitest'
import {
  damageTable,
  describeMirror,
  mirror,
  mirrorKinds,
  postgresFixture,
  SHELF,
} from '../support/mirror-suite.ts'
import { startOqs } from '../support/oqs-process.ts'
import { createDatabase, runSql } from '../support/postgres.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'

describeMirror('PostgreSQL', async () => {
  const database = await createDatabase(inject('postgresUrl'))
  return { ...postgresFixture(database.url), [Symbol.asyncDispose]: () => database.drop() }
})

it('mirrors values of every type to PostgreSQL', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await mirrorKinds(database.url)
  const [row] = await runSql(
    database.url,
    `SELECT to_json(kind) AS object, pg_typeof(at) AS at, pg_typeof(decimal) AS decimal
     FROM kind WHERE id = 9007199254740993 AND date = '0001-02-29 BC'
     AND at = '2026-01-31T10:00:00.123456Z'`,
  )
  expect(row).toMatchObject({
    object: {
      xmin_2: 'O\'Brien "日本"',
      XMIN: true,
      small: -128,
      double: 0.1,
      point: { type: 'Point', coordinates: [8.5, 47.25] },
      tags: ['a', 'ü'],
      struct: { a: 1 },
    },
    at: 'timestamp with time zone',
    decimal: 'numeric',
  })
  const others = await runSql(
    database.url,
    `SELECT id, double, xmin_2, (SELECT decimal::text FROM kind WHERE id > 0) AS decimal
     FROM kind WHERE id < 1`,
  )
  expect(others).toEqual([
    { id: '-1', double: Number.NaN, xmin_2: null, decimal: '12345678901234567890.10' },
  ])
})

it('connects again when PostgreSQL ends the connection of a mirror', async () => {
  await using service = await startService()
  await service.apply(SHELF)
  await using database = await createDatabase(inject('postgresUrl'))
  const target = postgresFixture(database.url)
  await using oqs = startOqs(mirror(target.to), { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN })
  await expect.poll(oqs.stderr).toContain('copied')
  for (const id of [1, 2]) {
    await runSql(
      database.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'oqs mirror' AND datname = current_database()",
    )
    await service.put('shelf', 'item', [{ id }])
    await expect.poll(async () => (await target.read()).length).toBe(id)
  }
})

it('says what to do about a table of PostgreSQL that another program has changed', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  await damageTable(database.url, (sql) => runSql(database.url, sql))
})
