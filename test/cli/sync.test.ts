import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SyncSource, startSyncSource } from '../support/sync-source.ts'

let source: SyncSource

beforeAll(async () => {
  source = await startSyncSource()
})
afterAll(() => source[Symbol.asyncDispose]())

/** Runs the sync until it has caught up; fails if it fails. */
async function catchUp(...args: string[]): Promise<string> {
  const { code, stderr } = await source.sync(...args, '--once')
  expect(stderr).toContain('caught up')
  expect(code).toBe(0)
  return stderr
}

const definitionOf = async (ontology: string) =>
  (await source.service.send(`/api/admin/v1/ontologies/${ontology}`)).body

describe('a table', () => {
  const ORDER = ['--table', 'public.orders', '--ontology', 'shop', '--type', 'order']

  beforeAll(async () => {
    await source.sql(`
      CREATE TYPE state AS ENUM ('open', 'sent');
      CREATE DOMAIN email AS text;
      CREATE TABLE orders (
        id int PRIMARY KEY, name varchar(100), amount numeric(10, 2), paid boolean, day date,
        created timestamptz, local_time timestamp, number bigint, small smallint, ratio real, exact double precision,
        token uuid, state state, contact email, details jsonb, tags text[], counts int[], photo bytea,
        total numeric GENERATED ALWAYS AS (amount * 2) STORED, "odd näme" text);
      COMMENT ON TABLE orders IS 'What customers ordered';
      COMMENT ON COLUMN orders.amount IS 'In Swiss francs';
      INSERT INTO orders VALUES
        (1, 'First', 12.50, true, '2024-02-29', '2024-03-01 12:30:00.123456+01', '2024-03-01 12:30', 9007199254740993, 7, 1.5, 0.1,
         'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'open', 'a@example.org', '{"a": [1, null]}', ARRAY['x, y', NULL], '{1,2}', '\\x00ff', DEFAULT, 'odd'),
        (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DEFAULT, NULL),
        (3, '', 'NaN', false, 'infinity', '-infinity', '0044-03-15 BC', 0, -1, 'NaN', 'Infinity', NULL, 'sent', '', 'null', '{}', '{{1,2},{3,4}}', NULL, DEFAULT, 'üñí 🙂')`)
  })

  it('becomes an object type with the same columns, key and comments', async () => {
    const stderr = await catchUp(...ORDER)
    expect(stderr).toContain('copied 3 objects of 1 table to shop')
    for (const note of [
      'public.orders: column photo is left out: no property type holds bytea',
      'public.orders: column total is left out: PostgreSQL does not replicate generated columns',
      'public.orders.day: the value of 3 is left out',
      'public.orders.counts: the value of 3 is left out',
    ]) {
      expect(stderr).toContain(note)
    }
    const { objectTypes } = await definitionOf('shop')
    expect(objectTypes).toMatchObject([
      {
        apiName: 'order',
        displayName: 'orders',
        description: 'What customers ordered',
        primaryKey: 'id',
        titleProperty: 'name',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string' },
          amount: { type: 'decimal', description: 'In Swiss francs' },
          created: { type: 'timestamp' },
          number: { type: 'long' },
          state: { type: 'string' },
          contact: { type: 'string' },
          details: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          oddName: { type: 'string', displayName: 'odd näme' },
        },
      },
    ])
  })

  it('has its rows as objects, without values that no property can hold', async () => {
    const [first, second, third] = await source.objects('shop', 'order')
    expect(first).toMatchObject({
      id: 1,
      amount: '12.50',
      paid: true,
      day: '2024-02-29',
      created: '2024-03-01T11:30:00.123456Z',
      local_time: '2024-03-01T12:30:00Z',
      number: '9007199254740993',
      small: 7,
      ratio: 1.5,
      exact: 0.1,
      token: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      state: 'open',
      contact: 'a@example.org',
      details: '{"a": [1, null]}',
      counts: [1, 2],
      oddName: 'odd',
    })
    // An array with a null element has no counterpart.
    expect(first).not.toHaveProperty('tags')
    expect(second).toEqual({ id: 2 })
    expect(third).toEqual({
      id: 3,
      name: '',
      paid: false,
      number: '0',
      small: -1,
      ratio: 'NaN',
      exact: 'Infinity',
      state: 'sent',
      contact: '',
      details: 'null',
      tags: [],
      oddName: 'üñí 🙂',
    })
  })

  it('is followed from where the last run stopped, one commit per transaction', async () => {
    const before = await source.versionOf('shop', 'order')
    await source.sql(`INSERT INTO orders (id, name) VALUES (10, 'new'), (11, 'gone');
      UPDATE orders SET name = 'newer' WHERE id = 10; DELETE FROM orders WHERE id = 11`)
    await source.sql(`UPDATE orders SET id = 20, name = 'moved' WHERE id = 2`)
    await source.sql('DELETE FROM orders WHERE id = 3')
    await source.sql('BEGIN; INSERT INTO orders (id) VALUES (99); ROLLBACK')
    const stderr = await catchUp(...ORDER)
    expect(stderr).toContain('wrote 3 transactions')
    expect(await source.versionOf('shop', 'order')).toBe(before + 3)
    const objects = await source.objects('shop', 'order')
    expect(objects.map(({ id, name }) => [id, name])).toEqual([
      [1, 'First'],
      [10, 'newer'],
      [20, 'moved'],
    ])
    expect(await catchUp(...ORDER)).toContain('wrote 0 transactions')
  })

  it('keeps large values that an update does not send', async () => {
    const large = Array.from({ length: 5000 }, (_, at) =>
      String.fromCharCode(97 + ((at * at) % 26)),
    )
    await source.sql(`ALTER TABLE orders ALTER contact SET STORAGE EXTERNAL;
      INSERT INTO orders (id, contact) VALUES (30, '${large.join('')}'), (31, '${large.join('')}')`)
    await source.sql(`UPDATE orders SET name = 'kept' WHERE id = 30`)
    await source.sql(`UPDATE orders SET name = 'once' WHERE id = 31;
      UPDATE orders SET id = 32 WHERE id = 31; UPDATE orders SET name = 'twice' WHERE id = 32`)
    await catchUp(...ORDER)
    const objects = await source.objects('shop', 'order')
    expect(objects.filter(({ id }) => Number(id) >= 30)).toEqual([
      { id: 30, name: 'kept', contact: large.join('') },
      { id: 32, name: 'twice', contact: large.join('') },
    ])
  })

  it('is emptied by TRUNCATE, in the commit of the rows that follow', async () => {
    await source.sql(`TRUNCATE orders; INSERT INTO orders (id, name) VALUES (1, 'again')`)
    await source.sql('INSERT INTO orders (id) VALUES (2)')
    await catchUp(...ORDER)
    expect(await source.objects('shop', 'order')).toEqual([{ id: 1, name: 'again' }, { id: 2 }])
  })

  it('takes a transaction that no batch can hold as one commit', async () => {
    await source.sql(`
      INSERT INTO orders (id, name) SELECT g, 'row ' || g FROM generate_series(1000, 111000) g;
      DELETE FROM orders WHERE id = 2`)
    await source.sql(`UPDATE orders SET name = 'last' WHERE id = 111000`)
    await catchUp(...ORDER)
    const objects = await source.objects('shop', 'order')
    expect(objects).toHaveLength(110_002)
    expect(objects[0]).toEqual({ id: 1, name: 'again' })
    expect(objects.at(-1)).toEqual({ id: 111_000, name: 'last' })
  })

  it('leaves nothing in the source after --drop-slot', async () => {
    const { stderr } = await source.sync(...ORDER, '--drop-slot')
    expect(stderr).toContain(
      'dropped the replication slot and the publication oqs_sync_shop_order_',
    )
    expect(await source.sql('SELECT * FROM pg_replication_slots')).toEqual([])
    expect(await source.sql('SELECT * FROM pg_publication')).toEqual([])
  })
})

describe('a schema', () => {
  const FIRM = ['--tables', 'firm.*', '--ontology', 'firm']

  it('becomes an ontology whose foreign keys are links', async () => {
    await source.sql(`
      CREATE SCHEMA firm;
      CREATE TABLE firm.customers (id bigint PRIMARY KEY, name text);
      CREATE TABLE firm.orders (id int PRIMARY KEY, customer_id int REFERENCES firm.customers, billed_to bigint REFERENCES firm.customers);
      CREATE TABLE firm.items (order_id int REFERENCES firm.orders, line int, label text, PRIMARY KEY (order_id, line));
      CREATE TABLE firm.employees (id text PRIMARY KEY, boss_id text REFERENCES firm.employees);
      CREATE TABLE firm.log (line text);
      CREATE TABLE firm.events (id int, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
      CREATE TABLE firm.events_2024 PARTITION OF firm.events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
      INSERT INTO firm.customers VALUES (1, 'Ada');
      INSERT INTO firm.orders VALUES (7, 1, 1);
      INSERT INTO firm.items VALUES (7, 1, 'pen'), (7, 2, 'ink');
      INSERT INTO firm.employees VALUES ('a,b', NULL), ('c', 'a,b');
      INSERT INTO firm.events VALUES (1, '2024-05-01')`)
    const stderr = await catchUp(...FIRM)
    expect(stderr).toContain('copied 7 objects of 5 tables to firm')
    expect(stderr).toContain('firm.log is left out: it has no primary key')
    const { objectTypes, linkTypes } = await definitionOf('firm')
    expect(objectTypes.map(({ apiName }: { apiName: string }) => apiName)).toEqual([
      'customers',
      'employees',
      'events',
      'items',
      'orders',
    ])
    expect(linkTypes).toEqual([
      {
        apiName: 'boss',
        reverseApiName: 'employees',
        from: 'employees',
        to: 'employees',
        foreignKey: 'boss_id',
      },
      {
        apiName: 'order',
        reverseApiName: 'items',
        from: 'items',
        to: 'orders',
        foreignKey: 'order_id',
      },
      {
        apiName: 'customers',
        reverseApiName: 'orders',
        from: 'orders',
        to: 'customers',
        foreignKey: 'billed_to',
      },
      {
        apiName: 'customer',
        reverseApiName: 'ordersByCustomer',
        from: 'orders',
        to: 'customers',
        foreignKey: 'customer_id',
      },
    ])
    expect(await source.objects('firm', 'items')).toEqual([
      { key: '7,1', order_id: 7, line: 1, label: 'pen' },
      { key: '7,2', order_id: 7, line: 2, label: 'ink' },
    ])
  })

  it('is followed table by table, partitions as their table', async () => {
    await source.sql(`
      INSERT INTO firm.customers VALUES (2, 'Bob'); INSERT INTO firm.orders VALUES (8, 2, NULL);
      UPDATE firm.items SET line = 3, label = 'nib' WHERE line = 2`)
    await source.sql(`INSERT INTO firm.events VALUES (2, '2024-06-01')`)
    await source.sql('DELETE FROM firm.events WHERE id = 1')
    await catchUp(...FIRM)
    expect(await source.objects('firm', 'orders')).toEqual([
      { id: 7, customer_id: '1', billed_to: '1' },
      { id: 8, customer_id: '2' },
    ])
    expect(await source.objects('firm', 'items')).toEqual([
      { key: '7,1', order_id: 7, line: 1, label: 'pen' },
      { key: '7,3', order_id: 7, line: 3, label: 'nib' },
    ])
    expect(await source.objects('firm', 'events')).toEqual([
      { key: '2,2024-06-01', id: 2, day: '2024-06-01' },
    ])
  })

  it('takes a new table', async () => {
    await source.sql(
      'CREATE TABLE firm.places (id int PRIMARY KEY); INSERT INTO firm.places VALUES (1)',
    )
    expect(await catchUp(...FIRM)).toContain('firm.places is new, and copied')
    expect(await source.objects('firm', 'places')).toEqual([{ id: 1 }])
    await source.sync(...FIRM, '--drop-slot')
  })
})
