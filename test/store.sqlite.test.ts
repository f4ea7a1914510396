import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nextTurn } from '../src/admission/next-turn.ts'
import { recordShape } from '../src/contract/object-record.ts'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { Visibility } from '../src/store/sql/plan/plan-rules.ts'
import { openConnection, pageBytesOf } from '../src/store/sqlite/file/connection.ts'
import { createDatabaseFile } from '../src/store/sqlite/file/database-file.ts'
import { backupDatabase } from '../src/store/sqlite/maintenance/backup.ts'
import { openSqliteStore } from '../src/store/sqlite/open.ts'
import { followerSql, pageSql } from '../src/store/sqlite/pages/page-sql.ts'
import { type StoreUnderTest, storeContract } from './store-contract.ts'
import { changeContract } from './store-contract-changes.ts'
import { OTHER_BUILDS } from './support/other-builds.ts'
import { createFixture, retention } from './support/store-fixture.ts'
import { type TempFolder, tempFolder } from './support/temp-folder.ts'

let folder: TempFolder | undefined
afterEach(() => {
  folder?.[Symbol.dispose]()
  folder = undefined
})
const path = () => join(folder?.path ?? '', 'deep', 'oqs.db')

// A commit waits ten seconds for the lock, so the other tests run meanwhile.
let lockedOut: Promise<unknown>
beforeAll(() => {
  lockedOut = commitWhileLocked()
})

async function commitWhileLocked(): Promise<unknown> {
  using own = tempFolder()
  const file = join(own.path, 'oqs.db')
  await using store = openSqliteStore(file)
  const things = await createFixture(store)
  using db = new DatabaseSync(file)
  db.exec('BEGIN IMMEDIATE')
  const refused = await things.commit([['a', '1']]).then(
    () => undefined,
    ({ errorName, parameters }) => ({ errorName, reason: parameters.reason }),
  )
  const meanwhile = await things.readPairs()
  db.exec('COMMIT')
  return { refused, meanwhile, after: (await things.commit([['a', '1']])).put }
}

const STORE: StoreUnderTest = {
  name: 'SQLite',
  slow: { objects: 1000, timeoutMs: 100 },
  open: async (options) => {
    folder?.[Symbol.dispose]()
    folder = tempFolder()
    return openSqliteStore(path(), options)
  },
  openAgain: async (options) => openSqliteStore(path(), options),
  countRowVersions: async () => {
    using db = new DatabaseSync(path(), { readOnly: true })
    const tables = db.prepare('SELECT id FROM oqs_object_table WHERE is_created = 1').all()
    const counts = tables.map(({ id }) =>
      db.prepare(`SELECT count(*) AS n FROM oqs_object_${id}`).get(),
    )
    return counts.reduce((sum, row) => sum + Number(row?.['n']), 0)
  },
}
storeContract(STORE)
changeContract(STORE)

describe('the SQLite store', () => {
  it('walks an index without sorting, for current rows and for versions', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    // The table is created with the first object.
    await (await createFixture(store)).commit([['a', 'x']])
    using db = new DatabaseSync(path(), { readOnly: true })
    const plan = (sql: string) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']))
        .join('; ')
    const expected: readonly [Visibility, string][] = [
      ['current', 'oqs_object_1_current (pk>?)'],
      ['version', 'oqs_object_1_version (pk>?)'],
    ]
    for (const [visibility, index] of expected) {
      for (const revision of ['1.0', '2.0'] as const) {
        const page = plan(
          pageSql(
            { table: 1, visibility },
            {
              shape: recordShape(revision, 'thing'),
              selection: undefined,
            },
          ).sql,
        )
        expect(page).toContain(`SEARCH o USING INDEX ${index}`)
        expect(page).not.toContain('TEMP B-TREE')
      }
      expect(plan(followerSql({ table: 1, visibility }))).toContain(`COVERING INDEX ${index}`)
    }
  })

  it.each(OTHER_BUILDS)('refuses a database of $creator, and says what to do', async (build) => {
    folder = tempFolder()
    await openSqliteStore(path())[Symbol.asyncDispose]()
    using db = new DatabaseSync(path())
    db.exec(build.change)
    expect(() => openSqliteStore(path())).toThrow(build.message)
  })

  it.each([1, 99])('refuses schema %i from before checksums were recorded', async (schema) => {
    folder = tempFolder()
    await openSqliteStore(path())[Symbol.asyncDispose]()
    using db = new DatabaseSync(path())
    db.exec(`DROP TABLE oqs_migration; PRAGMA user_version = ${schema}`)
    expect(() => openSqliteStore(path())).toThrow(/^an earlier build of the service created it/)
  })

  it('keeps a replacement while it is being published, however long that takes', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit([['a', '1']], { replacement })
    let isPublished = false
    const publishing = store.publishReplacement(things.type, replacement).finally(() => {
      isPublished = true
    })
    // The writer alternates between an index and a step of maintenance. Each index seems to take an hour.
    for (let hour = 0; !isPublished; hour += 1) {
      await store.reclaim(retention(hour * 3_600_000, 3_600_000))
    }
    expect(await publishing).toMatchObject({ put: 1 })
  })

  it('returns the same result when an appended replacement is published twice', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit(
      [
        ['a', '1'],
        ['b', '1'],
      ],
      { replacement },
    )
    await things.commit([['a', '2']])
    const commit = await store.publishReplacement(things.type, replacement, 'append')
    expect(commit).toMatchObject({ put: 1, kept: 1 })
    expect(await store.publishReplacement(things.type, replacement, 'append')).toEqual(commit)
  })

  it('refuses to add an object to a replacement that does not fit its definition', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit([['a', '1']])
    using db = new DatabaseSync(path())
    db.exec(`UPDATE oqs_object_1 SET body = '{"k":"a","text":1}'`)
    await expect(
      store.publishReplacement(things.type, replacement, 'upsert'),
    ).rejects.toMatchObject({
      errorName: 'ReplacementMergeRefused',
      parameters: { primaryKey: 'a', reason: 'text is not a string' },
    })
  })

  it('refuses a breaking change while an empty type is being loaded', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    const replacement = await store.startReplacement(things.type)
    await things.commit([['a', '1']], { replacement })
    const change = planChange('things', NUMBER_TEXTS, await store.readCatalogue(), randomUUID)
    await expect(store.saveOntology(change)).rejects.toMatchObject({
      errorName: 'OntologyChangeRefused',
    })
    await store.abandonReplacement(things.type, replacement)
    await store.saveOntology(change)
  })

  it('refuses a file that is not a database', async () => {
    folder = tempFolder()
    expect(() => openSqliteStore(folder?.path ?? '')).toThrow()
    expect(existsSync(path())).toBe(false)
  })

  it('acknowledges a commit only when it is on disk', async () => {
    folder = tempFolder()
    using db = openConnection(createDatabaseFile(path()))
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  })

  it('keeps the page size of an existing file, and so does a backup', async () => {
    folder = tempFolder()
    const file = createDatabaseFile(path())
    {
      using db = new DatabaseSync(file)
      db.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL')
    }
    {
      await using store = openSqliteStore(file)
      await (await createFixture(store)).commit([['a', 'x']])
    }
    await using store = openSqliteStore(file)
    const things = await createFixture(store)
    await things.commit([['b', 'y']])
    expect(await things.readPairs()).toEqual(['a=x', 'b=y'])
    const copy = join(folder.path, 'copy.db')
    await backupDatabase(file, copy)
    for (const each of [file, copy]) {
      using db = openConnection(each)
      expect(pageBytesOf(db)).toBe(4096)
    }
  })

  it('lets only its owner read the file', async () => {
    folder = tempFolder()
    await openSqliteStore(path())[Symbol.asyncDispose]()
    expect(statSync(path()).mode & 0o077).toBe(0)
  })

  it('shows a consistent state on each page during concurrent writes', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    let stop = false
    const writing = (async () => {
      for (let n = 0; !stop; n += 1) {
        const keys = Array.from({ length: 50 }, (_, key) => `k${key}`)
        await things.commit(keys.map((key) => [key, n % 2 === 0 ? 'x' : null]))
      }
    })()
    for (let read = 0; read < 300; read += 1) {
      const { count, totalCount } = await things.readPage()
      expect(count).toBe(totalCount)
      await nextTurn()
    }
    stop = true
    await writing
  })

  it('serves pages while a slow query runs', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    await things.commit(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'x']))
    const answered: string[] = []
    const not = { kind: 'not', of: { kind: 'isNull', property: 'text' } } as const
    await Promise.all([
      things.readPage({ query: not }).then(({ count }) => answered.push(`slow ${count}`)),
      things.readPage().then(({ count }) => answered.push(`quick ${count}`)),
      things.readPage().then(({ count }) => answered.push(`quick ${count}`)),
    ])
    expect(answered).toEqual(['quick 50', 'quick 50', 'slow 50'])
  })

  it('accepts further batches after one that failed', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    using db = new DatabaseSync(path())
    db.exec('DROP TABLE oqs_commit_log')
    await expect(things.commit([['a', '1']])).rejects.toThrow('no such table')
    db.exec('CREATE TABLE oqs_commit_log (object_type_id, version, put, deleted, kept)')
    expect(await things.commit([['a', '1']])).toMatchObject({ version: 1 })
  })

  it('answers 503 while another process holds the write lock', async () => {
    expect(await lockedOut).toEqual({
      refused: { errorName: 'ServiceUnavailable', reason: 'the database is busy' },
      meanwhile: [],
      after: 1,
    })
  })

  it('refuses slow queries when its file was replaced by another database', async () => {
    folder = tempFolder()
    const other = join(folder.path, 'other.db')
    {
      await using store = openSqliteStore(other)
      await createFixture(store)
    }
    await using store = openSqliteStore(path())
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    const slow = { query: { kind: 'not', of: { kind: 'isNull', property: 'text' } } } as const
    const replaced = {
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringMatching(/were replaced/) },
    }
    // Replaced after the query started, but before its process has opened the file.
    const running = things.readPage(slow)
    renameSync(path(), join(folder.path, 'moved.db'))
    renameSync(other, path())
    await expect(running).rejects.toMatchObject(replaced)
    await expect(things.readPage({ ...slow, maxObjects: 1 })).rejects.toMatchObject(replaced)
  })

  it('removes thousands of expired access tokens in one run', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    using db = new DatabaseSync(path())
    db.exec(`
      WITH RECURSIVE number (value) AS (
        SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 12000
      )
      INSERT INTO oqs_api_token (id, secret_hash, name, scopes, created_at_ms, expires_at_ms, client_id)
      SELECT 'id-' || value, 'hash-' || value, 'client', '[]', 0, value, 'client'
      FROM number
    `)
    const hourLater = 3_600_000 + 11_999
    expect(await store.reclaim(retention(hourLater))).toBe(11_999)
    expect(await store.findApiTokenById('id-12000')).toBeDefined()
  })

  it('stores API tokens only as hashes', async () => {
    folder = tempFolder()
    await using store = openSqliteStore(path())
    await createFixture(store)
    using db = new DatabaseSync(path())
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    const columns = db.prepare("SELECT name FROM pragma_table_info('oqs_api_token')").all()
    expect(columns.map((column) => column['name'])).not.toContain('secret')
  })
})

/** The definition of the fixture, with another type of `text`. */
const NUMBER_TEXTS: OntologyDefinition = {
  apiName: 'things',
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'k',
      properties: { k: { type: 'string' }, text: { type: 'integer' } },
    },
  ],
}
