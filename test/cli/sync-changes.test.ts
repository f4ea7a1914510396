/** What a sync does when tables of the source are added, changed and dropped. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource
/** Each test has a schema and an ontology of its own. */
let number = 0

beforeAll(async () => {
  source = await startSyncSource({ max_replication_slots: '40', max_wal_senders: '40' })
})
afterAll(() => source[Symbol.asyncDispose]())
beforeEach(async () => {
  number += 1
  await source.sql(`CREATE SCHEMA ${schema()}; SET search_path = ${schema()};
    CREATE TABLE makers (id int PRIMARY KEY, name text);
    CREATE TABLE parts (id int PRIMARY KEY, name text, amount int, maker_id int REFERENCES makers);
    INSERT INTO makers VALUES (1, 'Ada'); INSERT INTO parts VALUES (1, 'bolt', 3, 1), (2, 'nut', 4, 1)`)
})

const schema = () => `firm${number}`
const args = () => ['--tables', `${schema()}.*`, '--ontology', schema()]
const objects = (type: string) => source.objects(schema(), type)
const definition = async () =>
  (await source.service.send(`/api/admin/v1/ontologies/${schema()}`)).body
const propertiesOf = async (type: string) =>
  (await definition()).objectTypes.find(({ apiName }: { apiName: string }) => apiName === type)
    .properties

async function catchUp(...more: string[]): Promise<string> {
  const { code, stderr } = await source.sync(...args(), ...more, '--once')
  expect([code, stderr]).toEqual([0, expect.stringContaining('caught up')])
  return stderr
}

async function startSync(): Promise<OqsProcess> {
  const settings = { OQS_URL: source.service.url, OQS_TOKEN: ADMIN_TOKEN }
  const sync = startOqs(['sync', source.server.url, ...args()], settings)
  await expect.poll(() => sync.stderr()).toContain('caught up')
  return sync
}

/** Makes changes while the sync runs, or between two runs of it; returns what it says. */
async function following(how: string, change: () => Promise<unknown>, done: () => Promise<void>) {
  if (how === 'between two runs') {
    await catchUp()
    await change()
    const stderr = await catchUp()
    await done()
    return stderr
  }
  await using sync = await startSync()
  await change()
  await done()
  expect(sync.child.exitCode).toBeNull()
  return sync.stderr()
}

describe.each(['while the sync runs', 'between two runs'])('%s', (how) => {
  it('a renamed column keeps its values, and the definition records the rename', async () => {
    const change = () =>
      source
        .sql(`UPDATE parts SET amount = 5 WHERE id = 2`)
        .then(() => source.sql('ALTER TABLE parts RENAME amount TO quantity'))
        .then(() => source.sql(`INSERT INTO parts VALUES (3, 'pin', 7, 1)`))
        .then(() => source.sql('ALTER TABLE parts RENAME maker_id TO made_by'))
        .then(() => source.sql(`UPDATE makers SET name = 'Bob'`))
        .then(() => source.sql('UPDATE parts SET quantity = 8 WHERE id = 3'))
    const stderr = await following(how, change, async () => {
      await expect
        .poll(() => objects('parts'))
        .toEqual([
          { id: 1, name: 'bolt', quantity: 3, made_by: 1 },
          { id: 2, name: 'nut', quantity: 5, made_by: 1 },
          { id: 3, name: 'pin', quantity: 8, made_by: 1 },
        ])
    })
    expect(await propertiesOf('parts')).toMatchObject({ quantity: { renamedFrom: 'amount' } })
    expect((await definition()).linkTypes).toMatchObject([{ foreignKey: 'made_by' }])
    expect(await objects('makers')).toEqual([{ id: 1, name: 'Bob' }])
    expect(stderr).not.toContain('copied again')
  })

  it('a new column becomes a property, with the values of older rows', async () => {
    const change = () =>
      source
        .sql('ALTER TABLE parts ADD color text')
        .then(() => source.sql(`UPDATE parts SET color = 'red' WHERE id = 1`))
        .then(() => source.sql(`ALTER TABLE parts ADD state text DEFAULT 'new'`))
        .then(() => source.sql(`INSERT INTO parts VALUES (3, 'pin', 7, 1, 'blue', 'old')`))
    await following(how, change, async () => {
      await expect
        .poll(() => objects('parts'))
        .toEqual([
          { id: 1, name: 'bolt', amount: 3, maker_id: 1, color: 'red', state: 'new' },
          { id: 2, name: 'nut', amount: 4, maker_id: 1, state: 'new' },
          { id: 3, name: 'pin', amount: 7, maker_id: 1, color: 'blue', state: 'old' },
        ])
    })
  })

  it('a new table becomes a type with links, and a renamed one keeps its type', async () => {
    const change = () =>
      source
        .sql(`CREATE TABLE boxes (id int PRIMARY KEY, part_id int REFERENCES parts);
          INSERT INTO boxes VALUES (1, 1)`)
        .then(() => source.sql('ALTER TABLE makers RENAME TO companies'))
        .then(() =>
          source.sql(`INSERT INTO boxes VALUES (2, 2); INSERT INTO companies VALUES (2, 'Eve')`),
        )
    await following(how, change, async () => {
      await expect.poll(() => objects('makers')).toHaveLength(2)
      const count = async () => (await objects('boxes').catch(() => [])).length
      await expect.poll(count).toBe(2)
    })
    const links = (await definition()).linkTypes
    expect(links).toContainEqual(expect.objectContaining({ from: 'boxes', to: 'parts' }))
  })

  it('only the table that no longer fits its type stops, until it does', async () => {
    const change = () =>
      source
        .sql(`ALTER TABLE parts ALTER amount TYPE text USING amount || ' pieces'`)
        .then(() => source.sql(`INSERT INTO parts VALUES (3, 'pin', 'some', 1)`))
        .then(() => source.sql(`INSERT INTO makers VALUES (2, 'Eve')`))
    const stderr = await following(how, change, async () => {
      await expect.poll(() => objects('makers')).toHaveLength(2)
    })
    expect(stderr).toMatch(
      /parts cannot be followed any more: The property amount .* has type integer/,
    )
    expect(await objects('parts')).toHaveLength(2)
    const changed = await definition()
    const [, parts] = changed.objectTypes
    parts.properties.amount = { type: 'string' }
    await source.service.apply(changed)
    expect(await catchUp()).toContain('copied 3 objects of 1 table')
    expect((await objects('parts')).map(({ amount }) => amount)).toEqual([
      '3 pieces',
      '4 pieces',
      'some',
    ])
  })

  it('a dropped column leaves the values of rows that do not change', async () => {
    const change = () =>
      source
        .sql('ALTER TABLE parts DROP amount')
        .then(() => source.sql(`UPDATE parts SET name = 'screw' WHERE id = 1`))
    await following(how, change, async () => {
      await expect
        .poll(() => objects('parts'))
        .toEqual([
          { id: 1, name: 'screw', maker_id: 1 },
          { id: 2, name: 'nut', amount: 4, maker_id: 1 },
        ])
    })
  })

  it('a table that loses its primary key stops, and a truncated one is empty', async () => {
    const change = () =>
      source
        .sql('ALTER TABLE parts REPLICA IDENTITY NOTHING')
        .then(() => source.sql(`INSERT INTO parts VALUES (3, 'pin', 7, 1)`))
        .then(() => source.sql('TRUNCATE makers CASCADE'))
    const stderr = await following(how, change, async () => {
      await expect.poll(() => objects('makers')).toEqual([])
    })
    if (how === 'between two runs') expect(stderr).toContain('parts cannot be followed any more')
  })
})

it('columns that swap their names are copied again', async () => {
  await source.sql('ALTER TABLE parts ADD other text; UPDATE parts SET other = id::text')
  await catchUp()
  await source.sql(`UPDATE parts SET name = 'first' WHERE id = 1`)
  await source.sql(`ALTER TABLE parts RENAME name TO spare; ALTER TABLE parts RENAME other TO name;
    ALTER TABLE parts RENAME spare TO other`)
  await source.sql(`UPDATE parts SET amount = 9 WHERE id = 2`)
  await catchUp()
  expect(await objects('parts')).toEqual([
    { id: 1, name: '1', other: 'first', amount: 3, maker_id: 1 },
    { id: 2, name: '2', other: 'nut', amount: 9, maker_id: 1 },
  ])
})

it('a rename that was followed copies nothing when another table changes later', async () => {
  await using sync = await startSync()
  await source.sql('ALTER TABLE parts RENAME amount TO quantity')
  await source.sql(`INSERT INTO parts VALUES (3, 'pin', 7, 1)`)
  await expect.poll(() => objects('parts')).toHaveLength(3)
  await source.sql('CREATE TABLE boxes (id int PRIMARY KEY); INSERT INTO boxes VALUES (1)')
  await expect.poll(() => objects('boxes').catch(() => [])).toHaveLength(1)
  await source.sql(`UPDATE parts SET quantity = 8; INSERT INTO boxes VALUES (2)`)
  await expect.poll(() => objects('boxes')).toHaveLength(2)
  expect(sync.stderr()).not.toContain('copied again')
})

it('a column that came and went between two runs does no harm', async () => {
  await catchUp()
  await source.sql('ALTER TABLE parts ADD passing int')
  await source.sql('UPDATE parts SET passing = 1, amount = 7')
  await source.sql('ALTER TABLE parts DROP passing')
  await source.sql('UPDATE parts SET amount = 8 WHERE id = 2')
  await catchUp()
  expect((await objects('parts')).map(({ amount }) => amount)).toEqual([7, 8])
  await source.sql('UPDATE parts SET amount = 9 WHERE id = 2')
  expect(await catchUp()).toContain('wrote 1 transaction')
  expect((await objects('parts')).map(({ amount }) => amount)).toEqual([7, 9])
})
