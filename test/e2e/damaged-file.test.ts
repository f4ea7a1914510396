import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { overwritePages, pagesOf } from '../support/damaged-file.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import {
  logLinesOf,
  type OqsProcess,
  runOqs,
  startOqs,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo, startService } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

/** A running service whose database file is damaged, moved or truncated. */

const folder = useServiceFolder({ OQS_ADMIN_TOKEN: ADMIN_TOKEN })
const file = () => join(folder.path, 'oqs.db')
const goodFile = () => join(prepared.path, 'good.db')

const OBJECTS = 5000
const LISTING = '/api/v1/ontologies/numbers/objects/number?pageSize=1000'
const BATCH = '/api/admin/v1/ontologies/numbers/objects/number'
const SEARCH = '/api/v1/ontologies/numbers/objects/number/search'
const DAMAGED = 'the database file is damaged'

let prepared: TempFolder
beforeAll(async () => {
  prepared = tempFolder()
  // After closing, all data is in the file and the WAL is gone.
  await using service = await startService({ store: `sqlite:${goodFile()}` })
  await service.apply(NUMBERS)
  const objects = numbers(OBJECTS).map(({ n }) => ({ n, text: `${n} ${'some words '.repeat(10)}` }))
  expect((await service.put('numbers', 'number', objects)).status).toBe(200)
})
beforeEach(() => copyFileSync(goodFile(), file()))
afterAll(() => prepared[Symbol.dispose]())

function write(url: string, objects: readonly object[]) {
  return sendTo(url + BATCH, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: objects.map((object) => JSON.stringify({ put: object })).join('\n'),
  })
}

/** Overwrites the selected pages of tables and indexes, as a failing disk might. */
function damage(isSelected: (name: string, share: number) => boolean): void {
  const { size } = statSync(goodFile())
  const pages = pagesOf(goodFile()).filter(({ name, offset }) => isSelected(name, offset / size))
  expect(pages.length).toBeGreaterThan(0)
  overwritePages(file(), pages)
}

async function statuses(url: string): Promise<Record<string, number>> {
  const search = { query: { type: 'allTerms', field: 'properties.text', value: 'words' } }
  return {
    list: (await sendTo(url + LISTING)).status,
    search: (await sendTo(url + SEARCH, { json: search })).status,
    write: (await write(url, [{ n: 1 }])).status,
    ready: (await sendTo(`${url}/readyz`, { token: null })).status,
    alive: (await sendTo(`${url}/healthz`, { token: null })).status,
  }
}
const REFUSED = { list: 503, search: 503, write: 503, ready: 503, alive: 200 }

/** Reads pages until one fails, and checks that every object is as it was written. */
async function walkUntilRefused(url: string): Promise<{ read: number; reason: unknown }> {
  let read = 0
  let token = ''
  for (;;) {
    const { status, body } = await sendTo(url + LISTING + token)
    if (status !== 200) return { read, reason: body.parameters.reason }
    for (const { properties } of body.data) {
      expect(properties).toMatchObject({ n: read, text: expect.stringMatching(`^${read} some`) })
      read += 1
    }
    if (body.nextPageToken === undefined) return { read, reason: undefined }
    token = `&pageToken=${body.nextPageToken}`
  }
}

/** Moves all commits to the database, as another program would. */
function emptyWal(): void {
  using db = new DatabaseSync(file(), { timeout: 60_000 })
  // The service may read or write at the same time.
  do db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  while (statSync(`${file()}-wal`).size > 0)
}

async function stop(oqs: OqsProcess): Promise<Record<string, unknown>[]> {
  oqs.child.kill('SIGTERM')
  await oqs.ended
  return oqs
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

describe('a service whose file is damaged', () => {
  it('rejects every request once a page read has found it, also cached pages', async () => {
    {
      await using oqs = startOqs(['serve'], folder.settings())
      const url = await waitForLine(oqs, 'listening on ')
      // Repeated requests put the first page into the cache.
      for (let time = 0; time < 3; time += 1) await sendTo(url + LISTING)
      damage((name, share) => name === 'oqs_object_1' && share > 0.4)
      const { read, reason } = await walkUntilRefused(url)
      expect(reason).toBe(DAMAGED)
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThan(OBJECTS)
      expect(await statuses(url)).toEqual(REFUSED)
      const events = (await stop(oqs)).filter(({ msg }) => msg === 'storeDamaged')
      expect(events).toMatchObject([
        {
          level: 'fatal',
          advice: expect.stringContaining('restore the last backup'),
          error: { message: 'database disk image is malformed' },
        },
      ])
    }
    // Restores the backup as docs/how-to/backups.md describes.
    for (const suffix of ['', '-wal', '-shm']) rmSync(file() + suffix, { force: true })
    copyFileSync(goodFile(), file())
    await using oqs = startOqs(['serve'], folder.settings())
    const url = await waitForLine(oqs, 'listening on ')
    expect(await walkUntilRefused(url)).toEqual({ read: OBJECTS, reason: undefined })
  })

  it('rejects every request once a slow query has found it', async () => {
    await using oqs = startOqs(['serve'], folder.settings())
    const url = await waitForLine(oqs, 'listening on ')
    expect((await sendTo(url + LISTING)).status).toBe(200)
    damage((name, share) => name === 'oqs_object_1' && share > 0.4)
    const [before, after] = [await statuses(url), await statuses(url)]
    expect([before['search'], after]).toEqual([503, REFUSED])
  })

  it('rejects every request in all workers once one of them has found it', async () => {
    await using oqs = startOqs(['serve'], { ...folder.settings(), OQS_WORKERS: '2' })
    const url = await waitForLine(oqs, 'listening on ')
    damage((name, share) => name === 'oqs_object_1' && share > 0.4)
    expect((await walkUntilRefused(url)).reason).toBe(DAMAGED)
    // Of both workers and their supervisor.
    const damageLines = () => logLinesOf(oqs, 'storeDamaged').length
    await expect.poll(damageLines, { timeout: 60_000 }).toBe(3)
    const firstPages = Array.from({ length: 20 }, () => sendTo(url + LISTING))
    const codes = (await Promise.all(firstPages)).map(({ status }) => status)
    expect(new Set(codes)).toEqual(new Set([503]))
  })

  it('rejects every request once a batch has found it', async () => {
    await using oqs = startOqs(['serve'], folder.settings())
    const url = await waitForLine(oqs, 'listening on ')
    expect((await sendTo(url + LISTING)).status).toBe(200)
    damage((name) => name === 'oqs_commit_log')
    const { status, body } = await write(url, [{ n: 1 }])
    expect([status, body.parameters.reason]).toEqual([503, DAMAGED])
    expect(await statuses(url)).toEqual(REFUSED)
  })

  it('returns no data beyond a truncation, and does not start again', async () => {
    {
      await using oqs = startOqs(['serve'], folder.settings())
      const url = await waitForLine(oqs, 'listening on ')
      emptyWal()
      truncateSync(file(), Math.floor(statSync(file()).size / 2))
      // Reading the memory map beyond the end of the file kills the process.
      const end = await walkUntilRefused(url).catch(() => 'gone')
      expect(end).not.toMatchObject({ reason: undefined })
    }
    const { code, stderr } = await runOqs(['serve'], folder.settings())
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^oqs: OQS_STORE is "[^"]+": the database file is damaged: .*malformed; .*restore the last backup.*\n$/,
    )
  })
})

describe('a service whose WAL is moved, emptied or truncated', () => {
  it('acknowledges no batch that would be lost, and goes on if none would', async () => {
    await using oqs = startOqs(['serve'], folder.settings())
    const url = await waitForLine(oqs, 'listening on ')
    const ready = async () => (await sendTo(`${url}/readyz`, { token: null })).status
    expect([(await write(url, [{ n: 1 }])).status, await ready()]).toEqual([200, 200])

    // Moved away: writes are rejected until it is back.
    renameSync(`${file()}-wal`, `${file()}-moved`)
    const { status, body } = await write(url, [{ n: 2 }])
    expect([status, body.parameters.reason]).toEqual([
      503,
      'the files of the store are gone or were replaced; start the service again',
    ])
    expect(await ready()).toBe(503)
    renameSync(`${file()}-moved`, `${file()}-wal`)
    expect([(await write(url, [{ n: 3 }])).status, await ready()]).toEqual([200, 200])

    // Emptied by another program, which has moved all commits to the database.
    emptyWal()
    expect((await write(url, [{ n: 2 }])).status).toBe(200)
    expect((await statuses(url))['ready']).toBe(200)

    // Truncated with a commit in it.
    truncateSync(`${file()}-wal`)
    const lost = await write(url, [{ n: 4 }])
    expect([lost.status, lost.body.parameters.reason]).toEqual([503, DAMAGED])
    expect(await statuses(url)).toEqual(REFUSED)
    expect((await stop(oqs)).filter(({ msg }) => msg === 'storeDamaged')).toHaveLength(1)
  })
})
