import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { recordShape } from '../src/contract/object-record.ts'
import { openSqliteStore } from '../src/store/sqlite/open.ts'
import { followerSql, pageSql, type Visibility } from '../src/store/sqlite/page-sql.ts'
import { storeContract } from './store-contract.ts'
import { fixture } from './support/store-fixture.ts'
import { type TempFolder, tempFolder } from './support/temp-folder.ts'

let folder: TempFolder | undefined
afterEach(() => {
  folder?.[Symbol.dispose]()
  folder = undefined
})
const path = () => join(folder?.path ?? '', 'deep', 'oqs.db')

storeContract({
  name: 'SQLite',
  open: async () => {
    folder?.[Symbol.dispose]()
    folder = tempFolder()
    return openSqliteStore(path())
  },
  openAgain: async () => openSqliteStore(path()),
})

describe('the SQLite store in particular', () => {
  it('walks an index, without sorting, for current rows and for versions', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    await fixture(store)
    using db = new DatabaseSync(path(), { readOnly: true })
    const plan = (sql: string) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']))
        .join('; ')
    const expected: readonly [Visibility, string][] = [
      ['current', 'object_1_current (pk>?)'],
      ['version', 'object_1_version (pk>?)'],
    ]
    for (const [visibility, index] of expected) {
      for (const revision of ['1.0', '2.0'] as const) {
        const page = plan(
          pageSql(1, visibility, {
            shape: recordShape(revision, 'thing'),
            selection: undefined,
          }).sql,
        )
        expect(page).toContain(`SEARCH o USING INDEX ${index}`)
        expect(page).not.toContain('TEMP B-TREE')
      }
      expect(plan(followerSql(1, visibility))).toContain(`COVERING INDEX ${index}`)
    }
  })

  it('refuses a database of a newer release with one clear line', async () => {
    folder = tempFolder()
    await openSqliteStore(path())[Symbol.asyncDispose]()
    using db = new DatabaseSync(path())
    db.exec('PRAGMA user_version = 99')
    expect(() => openSqliteStore(path())).toThrow(
      'the database has schema 99, this release knows 1: run a newer release',
    )
  })

  it('refuses a file that is no database', async () => {
    folder = tempFolder()
    expect(() => openSqliteStore(folder?.path ?? '')).toThrow()
    expect(existsSync(path())).toBe(false)
  })

  it('keeps bearer tokens only as hashes and waits for the disk', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    await fixture(store)
    using db = new DatabaseSync(path())
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    const columns = db.prepare("SELECT name FROM pragma_table_info('api_token')").all()
    expect(columns.map((column) => column['name'])).not.toContain('secret')
  })
})
