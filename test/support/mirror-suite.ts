/** What a mirror must do, whatever its target is. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { mirrorType } from '../../src/transfer/mirror/mirror-type.ts'
import { openTarget } from '../../src/transfer/mirror/open-target.ts'
import { startOqs } from './oqs-process.ts'
import { runSql } from './postgres.ts'
import { runCommand } from './run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from './service.ts'

export interface MirrorFixture extends AsyncDisposable {
  /** The value of `--to`. */
  readonly to: string
  /** Returns the objects of the target. */
  readonly read: () => Promise<readonly Row[]>
  /** Puts something else where the mirror of the type `item` would be. */
  readonly occupy: () => Promise<void>
}

type Row = Readonly<Record<string, unknown>>

export const SHELF: OntologyDefinition = {
  apiName: 'shelf',
  objectTypes: [
    {
      apiName: 'item',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, at: { type: 'timestamp' } },
    },
    { apiName: 'box', primaryKey: 'id', properties: { id: { type: 'integer' } } },
  ],
}

/** A type with every kind of property, and an object that has hardly any. */
const KINDS: OntologyDefinition = {
  apiName: 'kinds',
  objectTypes: [
    {
      apiName: 'kind',
      primaryKey: 'id',
      properties: {
        id: { type: 'long' },
        // Names that a database reserves, or does not tell apart.
        xmin: { type: 'string' },
        XMIN: { type: 'boolean' },
        small: { type: 'byte' },
        double: { type: 'double' },
        decimal: { type: 'decimal' },
        date: { type: 'date' },
        at: { type: 'timestamp' },
        point: { type: 'geopoint' },
        tags: { type: 'array', items: { type: 'string' } },
        struct: { type: 'struct', fields: { a: { type: 'integer' } } },
      },
    },
  ],
}

export const KIND_OBJECTS = [
  {
    id: '9007199254740993',
    xmin: 'O\'Brien "日本"',
    XMIN: true,
    small: -128,
    double: 0.1,
    decimal: '12345678901234567890.10',
    date: '0000-02-29',
    at: '2026-01-31T10:00:00.123456Z',
    point: { type: 'Point', coordinates: [8.5, 47.25] },
    tags: ['a', 'ü'],
    struct: { a: 1 },
  },
  { id: '-1', double: 'NaN' },
  { id: '0', double: '-Infinity' },
]

/** Mirrors the objects of every kind to a target. */
export async function mirrorKinds(to: string): Promise<void> {
  await using service = await startService()
  await service.apply(KINDS)
  await service.put('kinds', 'kind', KIND_OBJECTS)
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const args = ['mirror', '--ontology', 'kinds', '--type', 'kind', '--to', to, '--once']
  const { code, stderr } = await runCommand(args, settings)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  await service.write('kinds', 'kind', [{ delete: '0' }])
  expect((await runCommand(args, settings)).code).toBe(0)
}

/** Changes the table of a mirror as another program would, and drops it as the message says. */
export async function damageTable(to: string, run: (sql: string) => unknown): Promise<void> {
  await using service = await startService()
  await service.apply(SHELF)
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const catchUp = () => runCommand(mirror(to, '--once'), settings)
  expect((await catchUp()).code).toBe(0)
  await run('ALTER TABLE item DROP COLUMN name')
  await service.put('shelf', 'item', [{ id: 1 }])
  const { code, stderr } = await catchUp()
  const remedy = 'If another program has changed the table, drop it and run the command again'
  expect([code, stderr]).toEqual([1, expect.stringContaining(remedy)])
  await run('DROP TABLE item')
  expect((await catchUp()).stderr).toContain('copied 1 object')
}

export const mirror = (to: string, ...more: readonly string[]) => [
  'mirror',
  ...['--ontology', 'shelf', '--type', 'item', '--to', to],
  ...more,
]

export function describeMirror(kind: string, open: () => Promise<MirrorFixture>): void {
  const start = async () => {
    const service = await startService()
    await service.apply(SHELF)
    await service.put('shelf', 'item', items(1, 20))
    const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
    return { service, settings }
  }

  describe(`a mirror in ${kind}`, () => {
    it('equals the source after each catch-up, and copies only once', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      const first = await runCommand(mirror(target.to, '--once'), settings)
      expect([first.code, first.stderr]).toEqual([
        0,
        expect.stringMatching(
          /^oqs: copying shelf\/item to .+\noqs: copied 20 objects; following shelf\/item\noqs: .+ has caught up\n$/,
        ),
      ])
      expect(await target.read()).toEqual(await sourceOf(service))
      const writes = [
        [{ put: { id: 3, name: 'three', at: '2026-01-31T10:00:00.5Z' } }, { delete: 5 }],
        [{ delete: 3 }, { put: { id: 99, name: 'ninety "nine"\n' } }, { delete: 20 }],
        [],
      ]
      for (const lines of writes) {
        if (lines.length > 0) await service.write('shelf', 'item', lines)
        const next = await runCommand(mirror(target.to, '--once'), settings)
        expect([next.code, next.stderr]).toEqual([
          0,
          expect.stringMatching(/^oqs: following shelf\/item\noqs: .+ has caught up\n$/),
        ])
        expect(await target.read()).toEqual(await sourceOf(service))
      }
    })

    it('follows a running service, also when all objects are replaced', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      await using oqs = startOqs(mirror(target.to), settings)
      await expect.poll(oqs.stderr).toContain('copied 20 objects')
      await service.write('shelf', 'item', [{ delete: 1 }, { put: { id: 77, name: 'new' } }])
      await expect.poll(target.read).toEqual(await sourceOf(service))
      await replaceAll(service, items(10, 25))
      await expect.poll(target.read).toEqual(await sourceOf(service))
      oqs.child.kill('SIGTERM')
      expect([await oqs.ended, oqs.stderr()]).toEqual([
        0,
        expect.not.stringContaining('copying again'),
      ])
    })

    it('goes on in its snapshot with a copy that was interrupted for hours', async () => {
      const settings = { OQS_PAGE_MAX_BYTES: '1024', OQS_SNAPSHOT_MAX_AGE_SECONDS: '60' }
      await using service = await startService({ settings })
      await service.apply(SHELF)
      await service.put('shelf', 'item', items(1, 50))
      await using target = await open()
      const events: string[] = []
      const copy = async (onProgress: () => void, signal: AbortSignal) => {
        await using opened = openTarget(target.to, 'item')
        const client = new Endpoints({ baseUrl: service.url, token: ADMIN_TOKEN })
        const type = { ontology: 'shelf', objectType: 'item' }
        const onEvent = (line: string) => events.push(line)
        const options = { once: true, replace: false, signal, onEvent, onProgress }
        await mirrorType(client, type, opened, options)
      }
      const stopped = new AbortController()
      await expect(copy(() => stopped.abort(), stopped.signal)).rejects.toThrow()
      // One that is copied already, one that is not, and one that comes and goes.
      await service.write('shelf', 'item', [{ delete: 1 }, { delete: 50 }, { put: { id: 60 } }])
      await service.write('shelf', 'item', [{ delete: 60 }, { put: { id: 49, name: 'new' } }])
      service.clock.now += 20 * 3600 * 1000
      await copy(() => {}, new AbortController().signal)
      expect(events).toEqual([
        expect.stringMatching(/^copying shelf\/item to /),
        'continuing to copy shelf/item',
        expect.stringMatching(/^copied \d+ objects; following shelf\/item$/),
      ])
      expect(await target.read()).toEqual(await sourceOf(service))
    })

    it('is made again when the definition changes, and when the token has expired', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      await using oqs = startOqs(mirror(target.to), settings)
      await expect.poll(oqs.stderr).toContain('copied 20 objects')
      await service.apply(withProperty('amount'))
      await service.put('shelf', 'item', [{ id: 5, amount: 7 }])
      await expect
        .poll(oqs.stderr)
        .toMatch(/copying again: its definition has changed\n(?:.+\n)*.*copied 20/)
      await expect.poll(target.read).toEqual(await sourceOf(service))
      oqs.child.kill('SIGINT')
      expect(await oqs.ended).toBe(0)

      service.clock.now += 25 * 3600 * 1000
      await service.write('shelf', 'item', [{ delete: 6 }])
      const again = await runCommand(mirror(target.to, '--once'), settings)
      expect([again.code, again.stderr]).toEqual([
        0,
        expect.stringContaining('copying again: its token is no longer valid (expired)'),
      ])
      expect(await target.read()).toEqual(await sourceOf(service))
    })

    it('replaces what is not a mirror of the type only if it is told to', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      await target.occupy()
      const refused = await runCommand(mirror(target.to, '--once'), settings)
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/exists and is not a mirror.* pass --replace/),
      ])
      const replaced = await runCommand(mirror(target.to, '--once', '--replace'), settings)
      expect([replaced.code, await target.read()]).toEqual([0, await sourceOf(service)])
      const box = ['mirror', '--ontology', 'shelf', '--type', 'box', '--to', target.to, '--once']
      const table = kind === 'NDJSON' ? [] : ['--table', 'item']
      const other = await runCommand([...box, ...table], settings)
      expect([other.code, other.stderr]).toEqual([
        1,
        expect.stringMatching(
          `is a mirror of shelf/item, not of shelf/box. Choose another ${kind === 'NDJSON' ? 'file' : '--table'}, or pass --replace`,
        ),
      ])
      expect((await runCommand([...box, ...table, '--replace'], settings)).code).toBe(0)
      expect(await target.read()).toEqual([])
    })

    it('keeps the copy of another service, and of a type that was deleted', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      expect((await runCommand(mirror(target.to, '--once'), settings)).code).toBe(0)
      const copy = await target.read()
      await using other = await startService()
      await other.apply(SHELF)
      const typePath = '/api/admin/v1/ontologies/shelf/objectTypes/item'
      expect((await service.send(typePath, { method: 'DELETE' })).status).toBe(200)
      await service.apply(SHELF)
      for (const { url } of [other, service]) {
        const refused = await runCommand(mirror(target.to, '--once'), {
          ...settings,
          OQS_URL: url,
        })
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringMatching(/is a mirror of another type shelf\/item: .* pass --replace/),
        ])
        expect(await target.read()).toEqual(copy)
      }
      const replaced = await runCommand(mirror(target.to, '--once', '--replace'), settings)
      expect([replaced.code, await target.read()]).toEqual([0, []])
    })

    it('has what the rights of the token allow, also after they have changed', async () => {
      const { service, settings } = await start()
      await using _service = service
      await using target = await open()
      const setPolicy = (gt: number) =>
        service.send('/api/admin/v1/policies/some', {
          method: 'PUT',
          json: {
            rights: [
              {
                ontology: 'shelf',
                objectType: 'item',
                access: 'read',
                where: { type: 'gt', field: 'id', value: gt },
                hide: ['at'],
              },
            ],
          },
        })
      expect((await setPolicy(15)).text).toContain('some')
      const token = await service.createToken({ policies: ['some'] })
      const limited = { ...settings, OQS_TOKEN: token }
      for (const gt of [15, 18]) {
        if (gt !== 15) await setPolicy(gt)
        await service.write('shelf', 'item', [{ delete: gt + 1 }])
        expect((await runCommand(mirror(target.to, '--once'), limited)).code).toBe(0)
        const seen = await sourceOf(service, token)
        expect(seen).toHaveLength(20 - gt - 1)
        expect(await target.read()).toEqual(seen)
      }
    })
  })
}

/** Returns the objects of the source, with the properties that they have. */
async function sourceOf(service: Service, token = ADMIN_TOKEN): Promise<readonly Row[]> {
  const path = '/api/admin/v1/ontologies/shelf/objects/item/export?format=ndjson'
  const { text, status } = await service.send(path, { token })
  if (status !== 200) throw new Error(text)
  return rowsOf(text)
}

export function rowsOf(ndjson: string): readonly Row[] {
  return ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)
}

function items(from: number, to: number): { id: number; name: string }[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    id: from + index,
    name: `item ${from + index}`,
  }))
}

async function replaceAll(service: Service, objects: readonly object[]): Promise<void> {
  const base = '/api/admin/v1/ontologies/shelf/objects/item'
  const started = await service.send(`${base}/replacements`, { method: 'POST' })
  const { replacement } = started.body as { replacement: string }
  await service.send(`${base}?replacement=${replacement}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: objects.map((put) => JSON.stringify({ put })).join('\n'),
  })
  await service.send(`${base}/replacements/${replacement}/publish`, { method: 'POST' })
}

function withProperty(name: string): OntologyDefinition {
  const [item, ...others] = SHELF.objectTypes ?? []
  if (item === undefined) throw new Error('no type')
  const properties = { ...item.properties, [name]: { type: 'integer' as const } }
  return { ...SHELF, objectTypes: [{ ...item, properties }, ...others] }
}

export function ndjsonFixture(path: string): MirrorFixture {
  return {
    to: path,
    read: async () => (existsSync(path) ? rowsOf(readFileSync(path, 'utf8')) : []),
    occupy: async () => writeFileSync(path, 'mine\n'),
    [Symbol.asyncDispose]: async () => {},
  }
}

export function sqliteFixture(path: string): MirrorFixture {
  const query = (sql: string) => {
    const database = new DatabaseSync(path, { timeout: 60_000 })
    try {
      return database.prepare(sql).all() as Row[]
    } finally {
      database.close()
    }
  }
  return {
    to: path,
    read: async () =>
      query("SELECT 1 FROM sqlite_schema WHERE name = 'item'").length === 0
        ? []
        : query('SELECT * FROM item ORDER BY id').map(withoutNulls),
    occupy: async () => void query('CREATE TABLE item (mine TEXT)'),
    [Symbol.asyncDispose]: async () => {},
  }
}

export function postgresFixture(url: string): MirrorFixture {
  const at = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return {
    to: url,
    read: async () => {
      const [{ found } = {}] = await runSql(url, "SELECT to_regclass('item') IS NOT NULL AS found")
      if (found !== true) return []
      const rows = await runSql(url, 'SELECT * FROM item ORDER BY id')
      if (rows[0]?.['at'] === undefined) return rows.map(withoutNulls)
      const times = await runSql(url, `SELECT ${at} AS at FROM item ORDER BY id`)
      return rows.map((row, index) => withoutNulls({ ...row, ...times[index] }))
    },
    occupy: async () => void (await runSql(url, 'CREATE TABLE item (mine text)')),
    [Symbol.asyncDispose]: async () => {},
  }
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}
