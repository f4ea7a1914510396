/** What operations can rely on, whichever database runs them. */
import { expect, it } from 'vitest'
import {
  boolean,
  bytes,
  type CoreSession,
  integer,
  json,
  type Operation,
  optional,
  text,
} from '../src/store/core/session/session.ts'

/** Runs an operation in a transaction of a database that has the table of `SAMPLE_TABLE`. */
export type RunOperation = <Result>(
  operation: (session: CoreSession) => Operation<Result>,
) => Promise<Result>

/** Each database names the type of bytes in its own way. */
export function sampleTable(bytesType: 'bytea' | 'blob'): string {
  return `CREATE TABLE sample (id bigint PRIMARY KEY, name text, is_new boolean, body text,
    secret ${bytesType})`
}

const SAMPLE = {
  id: integer,
  name: optional(text),
  isNew: boolean,
  body: json<unknown>,
  secret: optional(bytes),
} as const

const SELECT = 'SELECT id, name, is_new, body, secret FROM sample'
const INSERT = 'INSERT INTO sample (id, name, is_new, body, secret) VALUES (?, ?, ?, ?, ?)'

export function testSession(run: RunOperation): void {
  it('reads what it has written, with exact types', async () => {
    const large = Number.MAX_SAFE_INTEGER
    const rows = await run(function* (session) {
      yield* session.run(INSERT, [large, 'Zoë', true, '{"a":[1]}', Uint8Array.of(0, 255)])
      yield* session.run(INSERT, [1, null, false, 'null', null])
      return yield* session.query(`${SELECT} ORDER BY id`, [], SAMPLE)
    })
    expect(rows).toEqual([
      { id: 1, name: undefined, isNew: false, body: null, secret: undefined },
      { id: large, name: 'Zoë', isNew: true, body: { a: [1] }, secret: expect.anything() },
    ])
    expect([...(rows[1]?.secret ?? [])]).toEqual([0, 255])
  })

  it('finds the first row, or none', async () => {
    const found = await run(function* (session) {
      const first = yield* session.find(`${SELECT} ORDER BY id`, [], SAMPLE)
      const none = yield* session.find(`${SELECT} WHERE id = ?`, [99], SAMPLE)
      return [first?.id, none]
    })
    expect(found).toEqual([1, undefined])
  })

  it('counts the rows that it changes, and returns them', async () => {
    const changed = await run(function* (session) {
      const updated = yield* session.run('UPDATE sample SET name = ? WHERE is_new', ['new'])
      const none = yield* session.run('DELETE FROM sample WHERE id = ?', [99])
      const sql = 'UPDATE sample SET name = ? WHERE id = ? RETURNING id, name'
      const returned = yield* session.query(sql, ['one', 1], { id: integer, name: text })
      return [updated, none, returned]
    })
    expect(changed).toEqual([1, 0, [{ id: 1, name: 'one' }]])
  })

  it('compares with lists and adds rows of a list', async () => {
    const found = await run(function* (session) {
      const { isOneOf, rows } = session.dialect
      const added = yield* session.run(
        `INSERT INTO sample (id, name, is_new, body)
         SELECT r.id, r.name, TRUE, '0' FROM ${rows({ id: 'integer', name: 'text' })} AS r`,
        [
          JSON.stringify([
            [10, 'ten'],
            [11, 'it’s "eleven"'],
            [12, null],
          ]),
        ],
      )
      const ids = (column: string, type: 'text' | 'integer') =>
        `SELECT id FROM sample WHERE ${column} ${isOneOf(type)} ORDER BY id`
      const byName = yield* session.query(ids('name', 'text'), [['ten', 'it’s "eleven"', 'x']], {
        id: integer,
      })
      const byId = yield* session.query(ids('id', 'integer'), [[12, 10, 99]], { id: integer })
      const none = yield* session.query(ids('name', 'text'), [[]], { id: integer })
      return [added, byName, byId, none].map((rows) =>
        typeof rows === 'number' ? rows : rows.map(({ id }) => id),
      )
    })
    expect(found).toEqual([3, [10, 11], [10, 12], []])
  })

  it('reads a member of a JSON text', async () => {
    const found = await run(function* (session) {
      yield* session.run(INSERT, [20, null, false, '{"apiName":"Plane"}', null])
      const sql = `SELECT ${session.dialect.member('body', 'apiName')} FROM sample WHERE id = ?`
      return yield* session.find(sql, [20], { apiName: text })
    })
    expect(found).toEqual({ apiName: 'Plane' })
  })

  it('changes the schema', async () => {
    const count = await run(function* (session) {
      yield* session.execute('CREATE TABLE other (id bigint); CREATE INDEX other_id ON other (id)')
      return yield* session.run('INSERT INTO other (id) VALUES (?)', [1])
    })
    expect(count).toBe(1)
  })

  it('runs several statements in their order, or fails with the first that fails', async () => {
    const insert = (id: number) => ({ sql: INSERT, parameters: [id, 'first', false, 'null', null] })
    const rename = { sql: 'UPDATE sample SET name = ? WHERE id = ?', parameters: ['second', 40] }
    const found = await run(function* (session) {
      yield* session.runAll([])
      yield* session.runAll([insert(40), rename])
      const sql = 'SELECT name FROM sample WHERE id = ?'
      return yield* session.find(sql, [40], { name: text })
    })
    expect(found).toEqual({ name: 'second' })
    const failing = run((session) => session.runAll([insert(41), insert(41), insert(42), rename]))
    await expect(failing).rejects.toThrow(/unique/i)
    const left = await run((session) =>
      session.query('SELECT id FROM sample WHERE id IN (41, 42)', [], { id: integer }),
    )
    expect(left).toEqual([])
  })

  it('refuses rows that are not as expected', async () => {
    const read = (sql: string, columns: Readonly<Record<string, (value: unknown) => unknown>>) =>
      run((session) => session.query(sql, [], columns))
    const one = 'SELECT id, name FROM sample WHERE id = 20'
    await expect(read(one, { id: integer })).rejects.toThrow('2 columns, its reader id')
    await expect(read(one, { id: integer, name: text })).rejects.toThrow('NULL instead of a text')
    await expect(read(one, { id: text, name: optional(boolean) })).rejects.toThrow(/instead of/)
  })

  it('undoes everything if a statement or the operation itself fails', async () => {
    const failing = run(function* (session) {
      yield* session.run('DELETE FROM sample', [])
      yield* session.run(INSERT, [30, null, false, 'null', null])
      yield* session.run(INSERT, [30, null, false, 'null', null])
    })
    await expect(failing).rejects.toThrow(/unique/i)
    const refusing = run(function* (session) {
      yield* session.run('DELETE FROM sample', [])
      throw new RangeError('refused')
    })
    await expect(refusing).rejects.toThrow('refused')
    const found = await run((session) =>
      session.find('SELECT count(*) FROM sample', [], { count: integer }),
    )
    expect(found?.count).toBeGreaterThan(3)
  })
}
