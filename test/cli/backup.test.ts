import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overwritePages, pagesOf } from '../support/damaged-file.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { runOqs, startOqs } from '../support/oqs-process.ts'
import { type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

/** Enough for a copy in several steps, between which the service writes. */
const OBJECTS = 3000
/** Objects that each batch rewrites, all with the same text. */
const REWRITTEN = 20

let folder: TempFolder
let service: Service
const inFolder = (name: string) => join(folder.path, name)
const store = () => `sqlite:${inFolder('oqs.db')}`

beforeAll(async () => {
  folder = tempFolder()
  service = await startService({ store: store() })
  await service.apply(NUMBERS)
  const text = 'x'.repeat(1000)
  await service.put(
    'numbers',
    'number',
    numbers(OBJECTS).map(({ n }) => ({ n, text })),
  )
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const backUp = (...args: string[]) => runOqs(['backup', ...args], { OQS_STORE: store() })

async function rewrite(round: number): Promise<void> {
  const objects = numbers(REWRITTEN).map(({ n }) => ({ n, text: `round ${round}` }))
  expect((await service.put('numbers', 'number', objects)).status).toBe(200)
}

/** Returns the rounds in a backup; a consistent backup has exactly one. */
function roundsIn(file: string): unknown[] {
  using db = new DatabaseSync(file)
  return db
    .prepare(
      `SELECT DISTINCT body ->> '$.text' AS text FROM oqs_object_1
       WHERE valid_to = (SELECT max(valid_to) FROM oqs_object_1) AND body ->> '$.n' < ${REWRITTEN}`,
    )
    .all()
    .map(({ text }) => text)
}

describe('oqs backup', () => {
  it('copies one point in time of a store under constant writes, and ends', async () => {
    let round = 0
    await rewrite(round)
    const backup = backUp(inFolder('moment.db'))
    let hasEnded = false
    void backup.finally(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      round += 1
      await rewrite(round)
    }
    const { code, stderr, stdout } = await backup
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/ MB in .*moment\.db\n$/)
    expect(round).toBeGreaterThan(1)
    expect(roundsIn(inFolder('moment.db'))).toEqual([expect.stringMatching(/^round \d+$/)])
    expect(statSync(inFolder('moment.db')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('moment'))).toEqual([
      'moment.db',
    ])
  })

  it('writes a file that a service can use as its store', async () => {
    const token = await service.createToken()
    expect((await backUp(inFolder('restored.db'))).code).toBe(0)
    await using restored = await startService({ store: `sqlite:${inFolder('restored.db')}` })
    const listing = '/api/v1/ontologies/numbers/objects/number?pageSize=1000'
    const { status, text } = await restored.send(listing, { token })
    expect(status).toBe(200)
    const data = (body: string) => JSON.parse(body).data
    expect(data(text)).toEqual(data((await service.send(listing)).text))
  })

  it('replaces a file only with --force, and keeps a symbolic link to it', async () => {
    writeFileSync(inFolder('taken.db'), 'mine')
    symlinkSync('taken.db', inFolder('link.db'))
    const refused = await backUp(inFolder('link.db'))
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `oqs: ${inFolder('link.db')} exists; --force replaces it\n`,
    ])
    expect(readFileSync(inFolder('taken.db'), 'utf8')).toBe('mine')
    expect((await backUp(inFolder('link.db'), '--force')).code).toBe(0)
    expect(statSync(inFolder('taken.db')).mode & 0o777).toBe(0o600)
    expect(readFileSync(inFolder('taken.db'), 'latin1')).toMatch(/^SQLite format 3\0/)
  })

  it('rejects what it cannot copy or write to, in one line', async () => {
    // Not in use, so it has no WAL.
    const idle = { OQS_STORE: `sqlite:${inFolder('idle.db')}` }
    expect((await backUp(inFolder('idle.db'))).code).toBe(0)
    symlinkSync('.', inFolder('link'))
    const cases: readonly [args: string[], more: Record<string, string>, message: RegExp][] = [
      [[inFolder('oqs.db'), '--force'], {}, /oqs\.db is the store itself$/],
      [[inFolder('oqs.db-wal'), '--force'], {}, /oqs\.db-wal is the store itself$/],
      [
        [inFolder('link/oqs.db-journal')],
        {},
        /oqs\.db-journal is reserved for the store itself\. /,
      ],
      [[inFolder('idle.db-wal')], idle, /idle\.db-wal is reserved for the store itself\. /],
      [
        [inFolder('idle.db-shm'), '--force'],
        idle,
        /idle\.db-shm is reserved for the store itself\. /,
      ],
      [[''], {}, /^oqs: the name of the backup is empty\. /],
      [['x'.repeat(300)], {}, /^oqs: the name of the backup is too long \(300 bytes\)\. Choose a/],
      [[folder.path, '--force'], {}, /is not a file$/],
      [[inFolder('nowhere/x.db')], {}, /^oqs: no backup in .*nowhere\/x\.db: ENOENT/],
      [['x.db'], { OQS_STORE: 'postgres://u:secret@h/d' }, /:\*\*\*@.*pg_dump/],
      [['x.db'], { OQS_STORE: 'sqlite:/nowhere/x.db' }, /there is no store at \/nowhere\/x\.db\. /],
    ]
    for (const [args, more, message] of cases) {
      const settings = { OQS_STORE: store(), ...more }
      const { code, stderr } = await runOqs(['backup', ...args], settings)
      expect([args, code, stderr.trim().split('\n').length]).toEqual([args, 1, 1])
      expect(stderr.trim()).toMatch(message)
    }
    expect((await backUp(inFolder('x'.repeat(250)))).code).toBe(0)
    expect((await backUp()).code).toBe(2)
    expect((await backUp('a.db', 'b.db')).code).toBe(2)
    expect(existsSync(inFolder('nowhere'))).toBe(false)
  })

  it('keeps the previous backup if the store is damaged', async () => {
    const damaged = inFolder('damaged.db')
    expect((await backUp(damaged)).code).toBe(0)
    const pages = pagesOf(damaged).filter(
      ({ name, kind }) => name === 'oqs_object_1' && kind === 'leaf',
    )
    overwritePages(damaged, pages.slice(-1))
    writeFileSync(inFolder('last-good.db'), 'the last good one')
    const settings = { OQS_STORE: `sqlite:${damaged}` }
    const { code, stderr } = await runOqs(['backup', '--force', inFolder('last-good.db')], settings)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the store is damaged: .*\n$/)])
    expect(readFileSync(inFolder('last-good.db'), 'utf8')).toBe('the last good one')
    expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('rejects a store that lost its contents, and does not touch its WAL', async () => {
    const lost = inFolder('lost.db')
    expect((await backUp(lost)).code).toBe(0)
    {
      // As after a crash: the last commit is in the WAL.
      using db = new DatabaseSync(lost)
      db.exec('PRAGMA journal_mode = WAL; UPDATE oqs_catalogue SET last_row = last_row + 1')
      copyFileSync(`${lost}-wal`, inFolder('kept-wal'))
    }
    truncateSync(lost)
    renameSync(inFolder('kept-wal'), `${lost}-wal`)
    writeFileSync(inFolder('last-good.db'), 'the last good one')
    const settings = { OQS_STORE: `sqlite:${lost}` }
    const { size } = statSync(`${lost}-wal`)
    expect(size).toBeGreaterThan(0)
    const { code, stderr } = await runOqs(['backup', '--force', inFolder('last-good.db')], settings)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is empty, but its WAL is not\n$/)])
    expect(readFileSync(inFolder('last-good.db'), 'utf8')).toBe('the last good one')
    expect(statSync(`${lost}-wal`).size).toBe(size)
  })

  it('rejects a truncated store, and a database that is not a store', async () => {
    const cut = inFolder('short.db')
    expect((await backUp(cut)).code).toBe(0)
    truncateSync(cut, statSync(cut).size - 1000)
    const foreign = inFolder('foreign.db')
    using db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE other (id INTEGER)')
    for (const [source, message] of [
      [cut, /short\.db ends within a page\n$/],
      [foreign, /foreign\.db is not a store\n$/],
    ] as const) {
      const settings = { OQS_STORE: `sqlite:${source}` }
      const { code, stderr } = await runOqs(['backup', inFolder('none.db')], settings)
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
    }
    expect(existsSync(inFolder('none.db'))).toBe(false)
  })

  it('rejects a target that is open or was not closed properly', async () => {
    const open = inFolder('open.db')
    {
      using db = new DatabaseSync(open)
      db.exec('PRAGMA journal_mode = WAL; CREATE TABLE mine (id INTEGER)')
      const { code, stderr } = await backUp(open, '--force')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/open\.db-wal exists: a program/)])
      expect(db.prepare('SELECT count(*) AS n FROM mine').get()).toEqual({ n: 0 })
    }
    for (const suffix of ['-wal', '-shm', '-journal']) {
      const file = inFolder(`left${suffix}.db`)
      writeFileSync(file + suffix, 'left behind')
      expect((await backUp(file)).code).toBe(1)
      expect(existsSync(file)).toBe(false)
    }
    // After a proper close, these files are gone.
    expect((await backUp(open, '--force')).code).toBe(0)
  })

  it('does not know changes that a follower has seen since: their tokens are rejected', async () => {
    const token = await service.createToken()
    const changes = '/api/v1/ontologies/numbers/changes/number'
    expect((await backUp(inFolder('earlier.db'))).code).toBe(0)
    await rewrite(99)
    const { body } = await service.send(`${changes}?since=now`, { token })
    await using restored = await startService({ store: `sqlite:${inFolder('earlier.db')}` })
    const followed = await restored.send(`${changes}?since=${body.nextChangesToken}`, { token })
    expect([followed.status, followed.body.parameters]).toEqual([
      400,
      { since: body.nextChangesToken, reason: 'future' },
    ])
  })

  it('leaves a complete backup or none when it is interrupted', async () => {
    await using backup = startOqs(['backup', inFolder('cut.db')], { OQS_STORE: store() })
    while (!backup.stderr().includes('checking')) {
      await once(backup.child.stderr ?? backup.child, 'data')
    }
    backup.child.kill('SIGINT')
    const code = await backup.ended
    const left = readdirSync(folder.path).filter((name) => name.startsWith('cut'))
    // The check may end before the signal arrives.
    expect([code, left]).toEqual(code === 0 ? [0, ['cut.db']] : [130, []])
  })
})
