import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { Database } from '../driver/database.ts'
import { migrate } from './migrate.ts'

it('applies the migrations of later releases once, in their order, or none of them', async () => {
  using folder = tempFolder()
  await using place = await createTestStore('none')
  await using database = new Database(place.name)
  const url = pathToFileURL(`${folder.path}/`)
  const addMigration = (name: string, sql: string) => writeFileSync(join(folder.path, name), sql)
  addMigration('0001-first.sql', 'CREATE TABLE one (a integer); INSERT INTO one VALUES (1)')
  await Promise.all([migrate(database, url), migrate(database, url)])
  addMigration('0002-second.sql', 'ALTER TABLE one ADD COLUMN b integer')
  addMigration('0003-third.sql', 'SELECT 1 / 0')
  await expect(migrate(database, url)).rejects.toThrow('division by zero')
  addMigration('0003-third.sql', 'INSERT INTO one (a, b) VALUES (2, 3)')
  await migrate(database, url)
  const [row] = await database.query('SELECT count(*), max(b) FROM one')
  expect(row?.map(Number)).toEqual([2, 3])
  const applied = await database.query('SELECT number FROM oqs_migration ORDER BY number')
  expect(applied.map(([number]) => Number(number))).toEqual([1, 2, 3])
})
