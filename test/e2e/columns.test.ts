/** The columns process of a real service: what happens if it, a worker or the service is killed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type OqsProcess, startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const OBJECTS = 6000
const ONTOLOGY = '/api/admin/v1/ontologies/numbers'
const AGGREGATE = '/api/v2/ontologies/numbers/objects/number/aggregate'

interface Running extends AsyncDisposable {
  readonly oqs: OqsProcess
  readonly url: string
}

async function start(folder: TempFolder, more: Record<string, string> = {}): Promise<Running> {
  const oqs = startOqs(['serve'], {
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${join(folder.path, 'data', 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'warn',
    TMPDIR: folder.path,
    ...NO_CALLER_LIMITS,
    ...more,
  })
  const url = await waitForLine(oqs, 'listening on ')
  return { oqs, url, [Symbol.asyncDispose]: () => oqs[Symbol.asyncDispose]() }
}

async function fill({ url }: Running): Promise<void> {
  const defined = await sendTo(url + ONTOLOGY, { method: 'PUT', json: NUMBERS })
  expect(defined.status).toBe(200)
  const body = numbers(OBJECTS).map((put) => JSON.stringify({ put }))
  const headers = { 'content-type': 'application/x-ndjson' }
  const path = `${ONTOLOGY}/objects/number`
  const written = await sendTo(url + path, { method: 'POST', headers, body: body.join('\n') })
  expect(written.status).toBe(200)
}

const QUESTION = { aggregation: [{ type: 'count', name: 'all' }], groupBy: [] }

async function count({ url }: Running): Promise<unknown> {
  const { status, body } = await sendTo(url + AGGREGATE, { json: QUESTION })
  return status === 200 ? body.data[0].metrics[0].value : body
}

async function stateOf({ url }: Running): Promise<unknown> {
  const { body } = await sendTo(`${url}/api/admin/v1/status`)
  return body.columns?.objectTypes[0]?.state
}

/** Pages with a condition on two properties are answered by columns, and counted as such. */
async function answersByColumns({ url }: Running): Promise<number> {
  const where = { type: 'gte', field: 'n', value: 10 }
  const search = '/api/v2/ontologies/numbers/objects/number/search'
  const page = await sendTo(url + search, {
    json: { where, orderBy: { fields: [{ field: 'n', direction: 'desc' }] }, pageSize: 5 },
  })
  expect(page.status, page.text).toBe(200)
  expect(page.body.data).toHaveLength(5)
  const { text } = await sendTo(`${url}/metrics`)
  return Number(/oqs_plan_duration_seconds_count\{plan="columns"\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** Returns the columns process of a service. */
function columnsPid({ oqs }: Running): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return parent === oqs.child.pid && command.includes('columns-process-main')
      } catch {
        return false
      }
    })
}

it('a killed columns process is replaced, and the database answers meanwhile', async () => {
  using folder = tempFolder()
  await using running = await start(folder)
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const pid = columnsPid(running) ?? 0
  expect(pid).toBeGreaterThan(0)
  let isDone = false
  const ask = async () => {
    let asked = 0
    for (; !isDone; asked += 1) expect(await count(running)).toBe(OBJECTS)
    return asked
  }
  const asking = [ask(), ask(), ask()]
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => columnsPid(running) ?? pid).not.toBe(pid)
  await expect.poll(() => stateOf(running)).toBe('ready')
  isDone = true
  expect(Math.min(...(await Promise.all(asking)))).toBeGreaterThan(0)
  const before = await answersByColumns(running)
  await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
  // Killed together with the service: nothing of either is left.
  const last = columnsPid(running) ?? 0
  running.oqs.child.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${last}/cmdline`)).toBe(false)
  const sockets = () => readdirSync(folder.path).filter((name) => name.startsWith('oqs-columns-'))
  await expect.poll(sockets).toEqual([])
})

it('workers share the columns of their supervisor, also one that replaces another', async () => {
  using folder = tempFolder()
  await using running = await start(folder, { OQS_WORKERS: '2' })
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const before = await answersByColumns(running)
  await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
  expect(await count(running)).toBe(OBJECTS)
})

it.each([
  ['too long for a socket', (path: string) => mkdirSync(path, { recursive: true }), 'ready'],
  ['missing', () => {}, undefined],
  ['a file', (path: string) => writeFileSync(path, ''), undefined],
] as const)('a folder for temporary files that is %s', async (_, make, state) => {
  using folder = tempFolder()
  const path = join(folder.path, state === undefined ? 'folder' : 'long'.repeat(30))
  make(path)
  await using running = await start(folder, { TMPDIR: path })
  await fill(running)
  if (state !== undefined) await expect.poll(() => stateOf(running)).toBe(state)
  else expect(running.oqs.stderr()).toContain('no folder for the socket')
  expect(await count(running)).toBe(OBJECTS)
})

it('a service that stops during a build of columns stops at once, and builds them later', async () => {
  using folder = tempFolder()
  {
    await using running = await start(folder)
    await fill(running)
    await expect.poll(() => columnsPid(running)).toBeDefined()
    running.oqs.child.kill('SIGTERM')
    expect(await running.oqs.ended).toBe(0)
  }
  await using again = await start(folder)
  await expect.poll(() => stateOf(again)).toBe('ready')
  expect(await count(again)).toBe(OBJECTS)
})
