/** The columns process of a real service: what happens if it, a worker or the service is killed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import {
  OQS,
  type OqsProcess,
  startedPids,
  startOqs,
  startProgram,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const OBJECTS = 6000
/** Their columns need more room than a full disk has, which suffices for the service itself. */
const MANY_OBJECTS = 60_000
const FULL_BLOCKS = 160
const ONTOLOGY = '/api/admin/v1/ontologies/numbers'
const AGGREGATE = '/api/v2/ontologies/numbers/objects/number/aggregate'

interface Running extends AsyncDisposable {
  readonly oqs: OqsProcess
  readonly url: string
}

async function start(folder: TempFolder, more: Record<string, string> = {}): Promise<Running> {
  return await running(startOqs(['serve'], settingsOf(folder, more)))
}

/** Starts a service whose files cannot grow beyond a number of blocks, of 512 or 1024 bytes. */
async function startOnFullDisk(folder: TempFolder, blocks: number): Promise<Running> {
  const args = ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, process.execPath, OQS, 'serve']
  return await running(startProgram('sh', args, settingsOf(folder)))
}

function storePath(folder: TempFolder): string {
  return join(folder.path, 'data', 'oqs.db')
}

function settingsOf(folder: TempFolder, more: Record<string, string> = {}) {
  return {
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${storePath(folder)}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_LOG_LEVEL: 'warn',
    TMPDIR: folder.path,
    ...NO_CALLER_LIMITS,
    ...more,
  }
}

async function running(oqs: OqsProcess): Promise<Running> {
  const url = await waitForLine(oqs, 'listening on ')
  return { oqs, url, [Symbol.asyncDispose]: () => oqs[Symbol.asyncDispose]() }
}

async function fill({ url }: Running, objects = OBJECTS): Promise<void> {
  const defined = await sendTo(url + ONTOLOGY, { method: 'PUT', json: NUMBERS })
  expect(defined.status).toBe(200)
  const body = numbers(objects).map((put) => JSON.stringify({ put }))
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
function columnsPid(running: Running): number | undefined {
  return columnsPids(running)[0]
}

/** Returns all of them: while one takes over from another, there are two. */
function columnsPids({ oqs }: Running): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
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

it('the first question after a load is answered by the columns that were built with it', async () => {
  using folder = tempFolder()
  await using service = await start(folder)
  await sendTo(service.url + ONTOLOGY, { method: 'PUT', json: NUMBERS })
  const replacements = `${service.url}${ONTOLOGY}/objects/number/replacements`
  const { body: started } = await sendTo(replacements, { method: 'POST' })
  const all = numbers(OBJECTS)
  const headers = { 'content-type': 'application/x-ndjson' }
  const send = (puts: typeof all) => {
    const body = puts.map((put) => JSON.stringify({ put })).join('\n')
    const query = `?replacement=${started.replacement}`
    return sendTo(`${service.url}${ONTOLOGY}/objects/number${query}`, {
      method: 'POST',
      headers,
      body,
    })
  }
  // The last batch is so small that it would not need a thread.
  const parts = [all.slice(0, 2000), all.slice(2000, OBJECTS - 5), all.slice(OBJECTS - 5)]
  for (const { status } of await Promise.all(parts.map(send))) expect(status).toBe(200)
  const published = await sendTo(`${replacements}/${started.replacement}/publish`, {
    method: 'POST',
  })
  expect(published.body).toMatchObject({ put: OBJECTS })
  expect(await stateOf(service)).toBe('ready')
  expect(await count(service)).toBe(OBJECTS)
})

it('columns of a load whose objects are not published leave no file', async () => {
  using folder = tempFolder()
  await using service = await start(folder)
  await sendTo(service.url + ONTOLOGY, { method: 'PUT', json: NUMBERS })
  const replacements = `${service.url}${ONTOLOGY}/objects/number/replacements`
  const { body: started } = await sendTo(replacements, { method: 'POST' })
  const { replacement } = started
  const written = await sendTo(
    `${service.url}${ONTOLOGY}/objects/number?replacement=${replacement}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: numbers(OBJECTS)
        .map((put) => JSON.stringify({ put }))
        .join('\n'),
    },
  )
  expect(written.status).toBe(200)
  {
    // As if another process had abandoned it.
    using db = new DatabaseSync(storePath(folder))
    db.exec("UPDATE oqs_object_table SET state = 'abandoned' WHERE state = 'loading'")
  }
  const published = await sendTo(`${replacements}/${replacement}/publish`, { method: 'POST' })
  expect(published.status).toBe(404)
  const files = () => readdirSync(`${storePath(folder)}.columns`)
  await expect.poll(files).toEqual([])
})

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

it('a columns process that hangs is replaced, and the database answers meanwhile', async () => {
  using folder = tempFolder()
  await using running = await start(folder)
  await fill(running)
  // During a build, and while it answers.
  for (const state of ['building', 'ready']) {
    await expect.poll(() => stateOf(running)).toBe(state)
    const pid = columnsPid(running) ?? 0
    process.kill(pid, 'SIGSTOP')
    const asked = Array.from({ length: 5 }, () => count(running))
    expect(await Promise.all(asked)).toEqual(Array(5).fill(OBJECTS))
    await expect.poll(() => columnsPid(running) ?? pid).not.toBe(pid)
  }
  expect(running.oqs.stderr()).toContain('the columns process has not reacted for')
  await expect.poll(() => stateOf(running)).toBe('ready')
  const before = await answersByColumns(running)
  await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
})

it('a columns process that reacts again is used again, unless another one has taken over', async () => {
  using folder = tempFolder()
  await using running = await start(folder, { OQS_WORKERS: '2' })
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const pid = columnsPid(running) ?? 0
  process.kill(pid, 'SIGSTOP')
  expect(await count(running)).toBe(OBJECTS)
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    // Another process has taken over, and this one has been ended.
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH')
  }
  const before = await answersByColumns(running)
  await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
  await expect.poll(() => columnsPids(running)).toHaveLength(1)
})

it('a columns process that stays stopped is ended once another one has taken over', async () => {
  using folder = tempFolder()
  await using running = await start(folder)
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const pids: number[] = []
  // Also the one that has taken over.
  for (let round = 0; round < 3; round += 1) {
    const [pid = 0] = columnsPids(running)
    pids.push(pid)
    process.kill(pid, 'SIGSTOP')
    expect(await count(running)).toBe(OBJECTS)
    await expect
      .poll(() => columnsPids(running).filter((one) => !pids.includes(one)))
      .toHaveLength(1)
    await expect.poll(() => columnsPids(running)).not.toContain(pid)
    const before = await answersByColumns(running)
    await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
  }
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

it('a killed worker among several leaves the columns to the others and to its successor', async () => {
  using folder = tempFolder()
  await using running = await start(folder, { OQS_WORKERS: '2', OQS_LOG_LEVEL: 'info' })
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const columns = columnsPid(running)
  const [first = 0] = startedPids(running.oqs)
  let isDone = false
  const ask = async () => {
    // A request that the worker was answering is lost with it.
    const ignored = () => OBJECTS
    while (!isDone) expect(await count(running).catch(ignored)).toBe(OBJECTS)
  }
  const asking = [ask(), ask()]
  process.kill(first, 'SIGKILL')
  await expect.poll(() => startedPids(running.oqs).length).toBe(3)
  isDone = true
  await Promise.all(asking)
  const before = await answersByColumns(running)
  await expect.poll(() => answersByColumns(running)).toBeGreaterThan(before)
  expect(columnsPid(running)).toBe(columns)
})

it('columns stop computing when the client disconnects', async () => {
  using folder = tempFolder()
  await using running = await start(folder)
  await fill(running)
  await expect.poll(() => stateOf(running)).toBe('ready')
  const pid = columnsPid(running) ?? 0
  const metrics = Array.from({ length: 100 }, (_, n) => ({
    type: 'exactDistinct',
    field: 'n',
    name: `distinct${n}`,
  }))
  const aggregations = Array.from({ length: 100 }, () => ({ aggregation: metrics }))
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify({ aggregations }) }
  const send = async (signal: AbortSignal) => {
    const response = await fetch(`${running.url}${AGGREGATE}Batch`, { ...sent, signal })
    await response.text()
    return response.status
  }
  const never = new AbortController().signal
  // The first run also compiles the code.
  expect(await send(never)).toBe(200)
  const before = cpuOf(pid)
  expect(await send(never)).toBe(200)
  const whole = cpuOf(pid) - before
  const disconnect = new AbortController()
  const used = cpuOf(pid)
  const lost = send(disconnect.signal).catch(() => 'disconnected')
  await expect.poll(() => cpuOf(pid) - used, { interval: 1 }).toBeGreaterThan(whole / 50)
  disconnect.abort()
  expect(await lost).toBe('disconnected')
  const isIdle = async () => {
    const now = cpuOf(pid)
    await sleep(200)
    return cpuOf(pid) - now < whole / 50
  }
  await expect.poll(isIdle).toBe(true)
  expect(cpuOf(pid) - used).toBeLessThan(whole / 2)
})

/** Returns the CPU time of all threads of a process, in nanoseconds. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return times.reduce((sum, time) => sum + time, 0)
}

it('two services in one folder for temporary files have columns of their own', async () => {
  using folder = tempFolder()
  using other = tempFolder()
  await using first = await start(folder)
  const second = await start(other, { TMPDIR: folder.path })
  await fill(first)
  await fill(second, OBJECTS + 1)
  for (const one of [first, second]) await expect.poll(() => stateOf(one)).toBe('ready')
  expect([await count(first), await count(second)]).toEqual([OBJECTS, OBJECTS + 1])
  await second[Symbol.asyncDispose]()
  expect(await stateOf(first)).toBe('ready')
  const before = await answersByColumns(first)
  await expect.poll(() => answersByColumns(first)).toBeGreaterThan(before)
  expect(await count(first)).toBe(OBJECTS)
})

it('columns that do not fit on the disk are only in memory, and leave no file', async () => {
  using folder = tempFolder()
  {
    await using filled = await start(folder, { OQS_COLUMNS_MEMORY: '0' })
    await fill(filled, MANY_OBJECTS)
  }
  const files = join(folder.path, 'data', 'oqs.db.columns')
  {
    await using full = await startOnFullDisk(folder, FULL_BLOCKS)
    await expect.poll(() => stateOf(full)).toBe('ready')
    expect(await count(full)).toBe(MANY_OBJECTS)
    const before = await answersByColumns(full)
    await expect.poll(() => answersByColumns(full)).toBeGreaterThan(before)
    expect(readdirSync(files)).toEqual([])
  }
  await using again = await start(folder)
  await expect.poll(() => stateOf(again)).toBe('ready')
  expect(await count(again)).toBe(MANY_OBJECTS)
  expect(readdirSync(files)).toHaveLength(1)
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
