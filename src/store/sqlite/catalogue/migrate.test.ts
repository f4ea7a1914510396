import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { schemaVersion } from '../file/connection.ts'
import { migrate } from './migrate.ts'

it('applies the migrations of later releases once, in their order', () => {
  using folder = tempFolder()
  using db = new DatabaseSync(':memory:')
  const url = pathToFileURL(`${folder.path}/`)
  const addMigration = (name: string, sql: string) => writeFileSync(join(folder.path, name), sql)
  addMigration('0001-first.sql', 'CREATE TABLE one (a INTEGER); INSERT INTO one VALUES (1)')
  migrate(db, url)
  migrate(db, url)
  expect(schemaVersion(db)).toBe(1)
  addMigration('0003-third.sql', 'INSERT INTO one (a, b) VALUES (2, 3)')
  addMigration('0002-second.sql', 'ALTER TABLE one ADD COLUMN b INTEGER')
  migrate(db, url)
  expect(schemaVersion(db)).toBe(3)
  expect(db.prepare('SELECT count(*) AS rows, max(b) AS b FROM one').get()).toEqual({
    rows: 2,
    b: 3,
  })
})

it('leaves the database as it was if a migration fails', () => {
  using folder = tempFolder()
  using db = new DatabaseSync(':memory:')
  writeFileSync(join(folder.path, '0001.sql'), 'CREATE TABLE one (a INTEGER)')
  writeFileSync(join(folder.path, '0002.sql'), 'DROP TABLE missing')
  expect(() => migrate(db, pathToFileURL(`${folder.path}/`))).toThrow('missing')
  expect(schemaVersion(db)).toBe(0)
  expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([])
})
