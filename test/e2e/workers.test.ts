import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DEMO_COUNTS } from '../../src/server/demo/open-demo.ts'
import { occupyPort } from '../support/occupied-port.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import {
  logLinesOf,
  type OqsProcess,
  runOqs,
  startedPids,
  startOqs,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN, NO_CALLER_LIMITS, sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const settings = (folder: TempFolder, more = {}) => ({
  OQS_PORT: '0',
  OQS_WORKERS: '2',
  OQS_STORE: `sqlite:${join(folder.path, 'data', 'oqs.db')}`,
  OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  ...NO_CALLER_LIMITS,
  ...more,
})

const DEFINITION = '/api/admin/v1/ontologies/numbers'
const BATCH = `${DEFINITION}/objects/number`
const LISTING = '/api/v1/ontologies/numbers/objects/number'

describe('workers on one port', () => {
  // Started once, because starting takes longer than the tests.
  const folder = tempFolder()
  const auditFile = join(folder.path, 'audit.ndjson')
  let oqs: OqsProcess
  let url: string
  beforeAll(async () => {
    // Level debug includes probes. All workers have the same misspelt setting.
    const audit = { OQS_AUDIT: 'writes', OQS_AUDIT_FILE: auditFile }
    const more = { OQS_LOG_LEVEL: 'debug', OQS_DEOM: 'on', ...audit }
    oqs = startOqs(['serve'], settings(folder, more))
    url = await waitForLine(oqs, 'listening on ')
  })
  afterAll(async () => {
    await oqs[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it('see the writes of each other at once, and continue the walks of each other', async () => {
    expect(oqs.stdout()).toBe(`listening on ${url}\n`)
    const [one, other] = await connectToBoth(oqs, url)

    expect((await one.send('PUT', DEFINITION, NUMBERS)).status).toBe(200)
    expect((await other.put(numbers(50))).status).toBe(200)
    for (let n = 50; n < 70; n += 1) {
      const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one]
      await writer.put([{ n }])
      expect((await reader.get(`${LISTING}/${n}`)).body.properties.n).toBe(n)
    }
    const [objectType] = NUMBERS.objectTypes
    const properties = { ...objectType?.properties, added: { type: 'boolean' } }
    await one.send('PUT', DEFINITION, { ...NUMBERS, objectTypes: [{ ...objectType, properties }] })
    expect((await other.put([{ n: 70, added: true }])).status).toBe(200)

    const token = await runOqs(['token', 'create', '--name', 'walker'], settings(folder))
    for (const snapshot of [false, true]) {
      const keys = await walkAlternating([one, other], snapshot, token.stdout.trim())
      expect(keys).toEqual(numbers(71).map(({ n }) => n))
    }
  })

  it('share an audit log and its file', async () => {
    const [one] = await connectToBoth(oqs, url)
    const { body } = await one.get('/api/admin/v1/audit?operation=writeObjects&pageSize=500')
    expect(body.data).toHaveLength(22)
    const lines = readFileSync(auditFile, 'utf8').trim().split('\n')
    const inFile = lines.map((line) => JSON.parse(line).requestId)
    const listed: { requestId: string }[] = body.data
    expect(inFile).toEqual(expect.arrayContaining(listed.map(({ requestId }) => requestId)))
  })

  it('report a setting with a similar name only once', () => {
    expect(logLinesOf(oqs, 'unknownSetting')).toMatchObject([
      { level: 'warn', name: 'OQS_DEOM', meant: 'OQS_DEMO' },
    ])
  })

  it('have their metrics added up, whichever of them is asked', async () => {
    const connections = await connectToBoth(oqs, url)
    const route = '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey'
    const count = new RegExp(
      `duration_seconds_count{method="GET",route="${route}",status="200"} (.*)`,
    )
    const counts = []
    for (const connection of connections) {
      const { status, body } = await connection.get('/metrics')
      expect(status).toBe(200)
      counts.push(Number(count.exec(body)?.[1]))
    }
    // Both workers have answered for half of them.
    expect(counts).toEqual([20, 20])
  })

  it('are replaced when a fault ends them, while the others serve', async () => {
    const [killed, living] = await connectToBoth(oqs, url)
    process.kill(killed.pid, 'SIGBUS')
    while (startedPids(oqs).length < 3) {
      expect((await living.get(LISTING)).body.data).toHaveLength(71)
    }
    expect(logLinesOf(oqs, 'workerEnded')).toMatchObject([
      { workerPid: killed.pid, signal: 'SIGBUS', restartInMs: 100 },
    ])
    const [first, second] = await connectToBoth(oqs, url)
    expect([first.pid, second.pid]).not.toContain(killed.pid)
    for (const connection of [first, second, living]) {
      expect((await connection.get(LISTING)).body.data).toHaveLength(71)
    }
  })

  it('do not leave clients waiting if they end before they accept the connection', async () => {
    const [{ pid: stuck }] = await connectToBoth(oqs, url)
    process.kill(stuck, 'SIGSTOP')
    const responses = Array.from({ length: 4 }, async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n')
      return (await text(socket).catch(() => 'closed')).slice(0, 15)
    })
    // The other connections go to the worker that is running.
    const finished = () =>
      logLinesOf<LogLine>(oqs, 'requestFinished').filter(({ route }) => route === '/healthz')
    while (finished().length < 3) await sleep(10)
    process.kill(stuck, 'SIGKILL')
    const statusLines = await Promise.all(responses)
    expect(statusLines.filter((line) => line === 'HTTP/1.1 200 OK')).toHaveLength(3)
    while (startedPids(oqs).length < 4) await sleep(10)
  })

  it('stop together after they have finished their requests', async () => {
    const both = await connectToBoth(oqs, url)
    const batches = both.map((connection) => connection.open('POST', BATCH))
    for (const [n, batch] of batches.entries()) {
      // The interim response shows that the worker has the request.
      batch.setHeader('expect', '100-continue').flushHeaders()
      await once(batch, 'continue')
      batch.write(`{"put":{"n":${n}}}\n`)
    }
    oqs.child.kill('SIGTERM')
    oqs.child.kill('SIGTERM')
    while (logLinesOf(oqs, 'stopping').length < 3) await sleep(10)
    for (const batch of batches) {
      const answered = once(batch, 'response')
      batch.end()
      const [response] = (await answered) as [IncomingMessage]
      expect(response.statusCode).toBe(200)
      response.resume()
    }
    expect(await oqs.ended).toBe(0)
    for (const { pid } of both) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

describe('the supervisor', () => {
  let folder: TempFolder
  beforeEach(() => {
    folder = tempFolder()
  })
  afterEach(() => folder[Symbol.dispose]())

  it('gives up if its workers keep exiting after their start', async () => {
    const data = join(folder.path, 'data')
    const file = join(data, 'oqs.db')
    await using oqs = startOqs(['serve'], settings(folder))
    await waitForLine(oqs, 'listening on ')
    // Both must exit: a stable worker is a reason not to give up.
    while (startedPids(oqs).length < 2) await sleep(10)
    renameSync(data, join(folder.path, 'moved'))
    mkdirSync(data)
    writeFileSync(file, 'this is not a database, but long enough to be looked at as one'.repeat(50))
    for (const pid of startedPids(oqs)) process.kill(pid, 'SIGKILL')
    expect(await oqs.ended).toBe(1)
    const lastLine = oqs.stderr().trim().split('\n').at(-1)
    expect(lastLine).toContain(
      `oqs: a worker exited soon after its start 5 times in a row, most recently with OQS_STORE is "sqlite:${file}": the database file is damaged: file is not a database; `,
    )
  })

  it('loads the demo once, and its workers exit when it is killed', async () => {
    await using oqs = startOqs(['serve', '--demo'], settings(folder))
    const url = await waitForLine(oqs, 'listening on ')
    const token = await waitForLine(oqs, 'token ')
    await waitForLine(oqs, 'docs ')
    const listing = `${url}/api/v1/ontologies/aviation/objects/airport?pageSize=1`
    const { body } = await sendTo(listing, { token })
    expect(Number(body.totalCount)).toBe(DEMO_COUNTS['airport'])
    expect(oqs.stdout().match(/^\w+/gm)).toEqual(['listening', 'token', 'try', 'open', 'docs'])

    oqs.child.kill('SIGKILL')
    // Its output ends when the last process that has it open exits.
    await oqs.ended
    await expect(sendTo(listing, { token })).rejects.toThrow('fetch failed')
  })
})

describe('OQS_WORKERS', () => {
  it('prints one line if it is invalid, or if the start fails', async () => {
    using folder = tempFolder()
    for (const value of ['0', 'many']) {
      const { code, stdout, stderr } = await runOqs(
        ['serve'],
        settings(folder, { OQS_WORKERS: value }),
      )
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        `oqs: OQS_WORKERS is "${value}", but must be a number from 1 to 256, or auto\n`,
      ])
    }
    await using occupied = await occupyPort()
    const taken = await runOqs(['serve'], settings(folder, { OQS_PORT: occupied.port }))
    expect([taken.code, taken.stdout]).toEqual([1, ''])
    expect(taken.stderr).toMatch(/^oqs: .*EADDRINUSE.*\. Set OQS_PORT to another port.*\n$/)
  })
})

interface LogLine {
  readonly msg: string
  readonly pid: number
  readonly requestId?: string
  readonly route?: string
}

/** A keep-alive connection, which stays with the worker that accepted it. */
class Connection {
  pid = 0
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url: string) {
    this.#url = url
  }

  open(method: string, path: string, token = ADMIN_TOKEN): ClientRequest {
    const contentType = path === BATCH ? 'application/x-ndjson' : 'application/json'
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType }
    return request(this.#url + path, { method, headers, agent: this.#agent })
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body is the thing under test
  async send(method: string, path: string, body?: unknown, token?: string): Promise<any> {
    const sent = this.open(method, path, token)
    sent.end(typeof body === 'object' ? JSON.stringify(body) : body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const received = await text(response)
    const isJson = response.headers['content-type']?.startsWith('application/json')
    return { status: response.statusCode, body: isJson ? JSON.parse(received) : received }
  }

  get(path: string, token?: string) {
    return this.send('GET', path, undefined, token)
  }

  put(objects: readonly object[]) {
    const lines = objects.map((object) => JSON.stringify({ put: object }))
    return this.send('POST', BATCH, lines.join('\n'))
  }
}

/** Opens one connection to each of two workers. */
async function connectToBoth(oqs: OqsProcess, url: string): Promise<[Connection, Connection]> {
  const byPid = new Map<number, Connection>()
  while (byPid.size < 2) {
    const connection = new Connection(url)
    // An error has the id of its request, and the log has the worker for that id.
    const { body } = await connection.get('/nowhere')
    while (connection.pid === 0) {
      const lines = logLinesOf<LogLine>(oqs, 'requestFinished')
      const line = lines.find(({ requestId }) => requestId === body.errorInstanceId)
      connection.pid = line?.pid ?? 0
      await sleep(5)
    }
    byPid.set(connection.pid, connection)
  }
  return [...byPid.values()] as [Connection, Connection]
}

/** Walks with pages from both workers in turn; returns the keys. */
async function walkAlternating(
  connections: readonly [Connection, Connection],
  snapshot: boolean,
  token: string,
): Promise<number[]> {
  const keys: number[] = []
  let next = ''
  for (let page = 0; ; page += 1) {
    const connection = connections[page % 2 === 0 ? 0 : 1]
    const path = `${LISTING}?pageSize=7&snapshot=${snapshot}${next}`
    const { status, body } = await connection.get(path, token)
    expect(status).toBe(200)
    for (const record of body.data) keys.push(record.properties.n)
    if (body.nextPageToken === undefined) return keys
    next = `&pageToken=${body.nextPageToken}`
  }
}
