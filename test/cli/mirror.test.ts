import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import {
  damageTable,
  describeMirror,
  KIND_OBJECTS,
  mirror,
  mirrorKinds,
  ndjsonFixture,
  sqliteFixture,
} from '../support/mirror-suite.ts'
import { runCommand } from '../support/run-in-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

for (const [kind, name, fixture] of [
  ['NDJSON', 'items.ndjson', ndjsonFixture],
  ['SQLite', 'items.db', sqliteFixture],
] as const) {
  describeMirror(kind, async () => {
    const folder = tempFolder()
    const target = fixture(join(folder.path, name))
    return { ...target, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() }
  })
}

it('mirrors values of every type to a file', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'kinds.ndjson')
  await mirrorKinds(path)
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.map((line) => line && JSON.parse(line))).toEqual([
    KIND_OBJECTS[1],
    KIND_OBJECTS[0],
    '',
  ])
})

it('mirrors values of every type to SQLite', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'kinds.db')
  await mirrorKinds(path)
  const database = new DatabaseSync(path, { readBigInts: true })
  const rows = database.prepare('SELECT * FROM kind ORDER BY id').all()
  database.close()
  const none = { xmin: null, XMIN_2: null, small: null, decimal: null, date: null, at: null }
  expect(rows).toEqual([
    { ...none, point: null, tags: null, struct: null, id: -1n, double: 'NaN' },
    {
      id: 9007199254740993n,
      xmin: 'O\'Brien "日本"',
      XMIN_2: 1n,
      small: -128n,
      double: 0.1,
      decimal: '12345678901234567890.10',
      date: '0000-02-29',
      at: '2026-01-31T10:00:00.123456Z',
      point: '{"type":"Point","coordinates":[8.5,47.25]}',
      tags: '["a","ü"]',
      struct: '{"a":1}',
    },
  ])
})

it.each([
  ['oqs_mirror', []],
  ['OQS_Mirror2', []],
  ['item', ['--table', 'oqs_mirror']],
])('does not write the type %s over its own state %j', async (type, options) => {
  const args = ['mirror', '--ontology', 'shelf', '--type', type, '--to', 'x.db', ...options]
  const { code, stderr } = await runCommand(args, {})
  expect([code, stderr]).toEqual([2, expect.stringContaining('does not begin with oqs_mirror')])
})

it('says what to do about a file that is not a database', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'notes.db')
  writeFileSync(path, 'not a database, but long enough to be read as one\n'.repeat(20))
  const { code, stderr } = await runCommand(mirror(path, '--once'), { OQS_URL: 'http://[::1]:1' })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/notes\.db .*not a database\. Choose another file, or delete this one\./),
  ])
})

it('says what to do about a table of SQLite that another program has changed', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'items.db')
  await damageTable(path, (sql) => {
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
  })
})
