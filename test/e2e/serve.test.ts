import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { occupyPort } from '../support/occupied-port.ts'
import { NUMBERS } from '../support/ontologies.ts'
import {
  logLinesOf,
  OQS,
  runOqs,
  startNode,
  startOqs,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

const folder = useServiceFolder({ OQS_ADMIN_TOKEN: ADMIN_TOKEN })
const { settings } = folder

describe('oqs serve', () => {
  it('prints its address, serves, and stops with status 0 on SIGTERM and SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await using oqs = startOqs(['serve'], settings({ OQS_LOG_LEVEL: 'warn' }))
      const url = await waitForLine(oqs, 'listening on ')
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect((await sendTo(`${url}/healthz`, { token: null })).status).toBe(200)
      expect((await sendTo(`${url}/readyz`, { token: null })).body).toEqual({ status: 'ok' })
      expect((await sendTo(`${url}/api/v1/ontologies`)).status).toBe(200)
      oqs.child.kill(signal)
      oqs.child.kill(signal)
      expect(await oqs.ended).toBe(0)
      // Level warn has no line for a request.
      expect(oqs.stderr()).toBe('')
    }
  })

  it('says how to get a token as long as there is none', async () => {
    const withoutToken = settings({ OQS_ADMIN_TOKEN: undefined })
    {
      await using oqs = startOqs(['serve'], withoutToken)
      const [, ...args] = (await waitForLine(oqs, '  npx ')).split(' ')
      expect((await runOqs(args, withoutToken)).stdout).toMatch(/^oqs_/)
    }
    await using oqs = startOqs(['serve'], withoutToken)
    await waitForLine(oqs, 'listening on ')
    oqs.child.kill('SIGTERM')
    await oqs.ended
    expect(oqs.stdout()).not.toContain('token create')
  })

  it('finishes the request in progress when it is stopped', async () => {
    await using oqs = startOqs(['serve'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    await sendTo(`${url}/api/admin/v1/ontologies/numbers`, { method: 'PUT', json: NUMBERS })
    const batch = request(`${url}/api/admin/v1/ontologies/numbers/objects/number`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/x-ndjson',
        // The interim response shows that the service has the request.
        expect: '100-continue',
      },
    })
    const answered = once(batch, 'response')
    batch.flushHeaders()
    await once(batch, 'continue')
    batch.write('{"put":{"n":1}}\n')
    oqs.child.kill('SIGTERM')
    while (logLinesOf(oqs, 'stopping').length === 0) await sleep(10)
    batch.end('{"put":{"n":2}}\n')
    const [response] = await answered
    expect(response.statusCode).toBe(200)
    response.resume()
    expect(await oqs.ended).toBe(0)
  })

  it('does not start with an invalid setting, and names it in one line', async () => {
    const cases: readonly [name: string, value: string, allowed: RegExp][] = [
      ['OQS_PORT', 'abc', /a number from 0 to 65535/],
      ['OQS_CONFIG', '/nowhere/at/all', /no such file/],
    ]
    for (const [name, value, allowed] of cases) {
      const { code, stderr, stdout } = await runOqs(['serve'], settings({ [name]: value }))
      expect([name, code, stdout]).toEqual([name, 1, ''])
      expect(stderr).toMatch(allowed)
      expect(stderr).toContain(`oqs: ${name} is "${value}"`)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })

  it('does not print an invalid secret', async () => {
    const { stderr } = await runOqs(['serve'], settings({ OQS_ADMIN_TOKEN: 'tooshort' }))
    expect(stderr).toBe(
      'oqs: OQS_ADMIN_TOKEN is [secret], but must be at least 16 visible ASCII characters\n',
    )
  })

  it('says what to do if its port is in use or its store cannot be opened', async () => {
    await using occupied = await occupyPort()
    const taken = await runOqs(['serve'], settings({ OQS_PORT: occupied.port }))
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('Set OQS_PORT')])

    const file = join(folder.path, 'not-a-database')
    writeFileSync(file, 'this is not a database, but long enough to be looked at as one'.repeat(50))
    const store = await runOqs(['serve'], settings({ OQS_STORE: `sqlite:${file}` }))
    expect([store.code, store.stderr]).toEqual([
      1,
      expect.stringContaining('file is not a database'),
    ])
  })

  it('logs JSON lines without secrets, tokens, keys or property values', async () => {
    await using oqs = startOqs(['serve'], settings({ OQS_LOG_LEVEL: 'trace' }))
    const url = await waitForLine(oqs, 'listening on ')
    const secrets = [
      'SECRET-VALUE',
      'SECRET-TYPE',
      'SECRET-PAGE-TOKEN',
      'SECRET-BEARER',
      ADMIN_TOKEN,
    ]
    await sendTo(`${url}/api/admin/v1/ontologies/numbers`, { method: 'PUT', json: NUMBERS })
    await sendTo(`${url}/api/admin/v1/ontologies/numbers/objects/number`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"put":{"n":1,"text":"SECRET-VALUE"}}\n{"put":{"n":"SECRET-VALUE"}}',
    })
    await sendTo(`${url}/api/v1/ontologies/numbers/objects/number?pageToken=SECRET-PAGE-TOKEN`)
    await sendTo(`${url}/api/v1/ontologies/numbers/objects/SECRET-TYPE`)
    await sendTo(`${url}/api/SECRET-TYPE`, { token: 'SECRET-BEARER' })
    await sendTo(`${url}/api/v1/ontologies/numbers/objects/number`, { token: 'SECRET-BEARER' })
    oqs.child.kill('SIGTERM')
    await oqs.ended
    const lines = oqs.stderr().trim().split('\n')
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg')
    for (const secret of secrets) expect(oqs.stderr()).not.toContain(secret)
  })
})

describe('the process of a command', () => {
  const PRINT_FLAGS = `data:text/javascript,
    process.on('exit', () => process.stderr.write('flags ' + process.pid + process.execArgv))`
  /** Returns the flags of the last process of the command. */
  const flagsOf = (stderr: string) => stderr.split('flags ').at(-1)

  it('has the flags if it runs long, and keeps its process id', async () => {
    await using oqs = startOqs(['serve'], settings({ NODE_OPTIONS: `--import "${PRINT_FLAGS}"` }))
    await waitForLine(oqs, 'listening on ')
    oqs.child.kill('SIGTERM')
    expect(await oqs.ended).toBe(0)
    const flags =
      '--max-semi-space-size=16,--heap-growing-percent=100,--no-allocation-site-pretenuring'
    expect(flagsOf(oqs.stderr())).toBe(`${oqs.child.pid}${flags}`)
  })

  it('has less memory for new objects in threads than in the main thread', async () => {
    // The limit of a heap includes three semi-spaces: of 16 MB each, or of 8 MB.
    const printLimit = `data:text/javascript,
      import { getHeapStatistics } from 'node:v8';
      import { threadId } from 'node:worker_threads';
      const limit = getHeapStatistics().heap_size_limit;
      process.stderr.write('limit of ' + threadId + ': ' + limit + ';')`
    await using oqs = startOqs(['serve'], settings({ NODE_OPTIONS: `--import "${printLimit}"` }))
    await waitForLine(oqs, 'listening on ')
    const limitOf = (thread: number) =>
      Number(oqs.stderr().match(new RegExp(`.*limit of ${thread}: (\\d+);`))?.[1])
    expect(limitOf(0) - limitOf(1)).toBe(24 * 1024 ** 2)
  })

  it('has no flags if it is short', async () => {
    await using oqs = startOqs(['config'], settings({ NODE_OPTIONS: `--import "${PRINT_FLAGS}"` }))
    await oqs.ended
    expect(flagsOf(oqs.stderr())).toBe(String(oqs.child.pid))
  })
})

describe('a service whose output is closed', () => {
  it.for([{}, { OQS_WORKERS: '2' }])('stops on SIGTERM: %o', async (more) => {
    await using oqs = startOqs(['serve'], settings({ OQS_LOG_LEVEL: 'info', ...more }))
    await waitForLine(oqs, 'listening on ')
    oqs.child.stdout?.destroy()
    oqs.child.stderr?.destroy()
    oqs.child.kill('SIGTERM')
    expect(await oqs.ended).toBe(0)
  })
})

describe('a service whose log reader has stalled', () => {
  it.for([{}, { OQS_WORKERS: '2' }])('keeps serving, and stops on SIGTERM: %o', async (more) => {
    await using oqs = startOqs(['serve'], settings({ OQS_LOG_LEVEL: 'info', ...more }))
    const url = await waitForLine(oqs, 'listening on ')
    oqs.child.stderr?.pause()
    // More lines than a pipe can buffer.
    for (let round = 0; round < 8; round += 1) {
      const answers = Array.from({ length: 100 }, () => fetch(`${url}/api/nothing`))
      for (const answer of await Promise.all(answers)) await answer.arrayBuffer()
    }
    oqs.child.kill('SIGTERM')
    const [status] = await once(oqs.child, 'exit')
    expect(status).toBe(0)
    oqs.child.stderr?.resume()
  })
})

describe('a service that was launched by an older Node.js', () => {
  it('stops when its launcher is killed', async () => {
    const launcher = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, [process.argv[1], 'serve'], {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, OBJECT_QUERY_SERVICE_LAUNCHED: '1' },
      })
      child.on('exit', () => {})`
    await using oqs = startNode(['-e', launcher, OQS], settings())
    const url = await waitForLine(oqs, 'listening on ')
    oqs.child.kill('SIGKILL')
    // The pipes close when the last process that has them open exits.
    await oqs.ended
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
  })
})
