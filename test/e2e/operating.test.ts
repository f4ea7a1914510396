import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { logLinesOf, runOqs, startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo, startService } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

/** What an operator sees of a service that is misconfigured or fails. */

const folder = useServiceFolder()
const { settings } = folder

function logLines(stderr: string) {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

describe('the log', () => {
  it('has no line for a successful probe, and a short one for a failed probe', async () => {
    await using oqs = startOqs(['serve'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    const probe = async (path: string) => (await sendTo(url + path, { token: null })).status
    expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 200])
    rmSync(join(folder.path, 'oqs.db'))
    expect([await probe('/readyz'), await probe('/readyz')]).toEqual([503, 503])
    expect(await probe('/nowhere')).toBe(404)
    expect(await probe('/%zz')).toBe(400)
    oqs.child.kill('SIGTERM')
    await oqs.ended
    const lines = logLines(oqs.stderr())
    const requests = lines.filter(({ requestId }) => requestId !== undefined)
    expect(requests.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'warn notReady',
      'warn notReady',
      'info requestFinished',
      'info requestFinished',
    ])
    expect(requests.at(-1)).toMatchObject({ status: 400, route: 'none' })
    expect(requests[0].reason).toMatch(/^the files of the store are gone/)
    expect(oqs.stderr()).not.toContain('stack')
  })

  it('has one line for each request that its client abandons', async () => {
    await using oqs = startOqs(['serve'], settings({ OQS_ADMIN_TOKEN: ADMIN_TOKEN }))
    const url = await waitForLine(oqs, 'listening on ')
    const batch = '/api/admin/v1/ontologies/numbers/objects/number'
    await sendTo(`${url}/api/admin/v1/ontologies/numbers`, { method: 'PUT', json: NUMBERS })
    const rows = numbers(20_000).map(({ n }) => ({ put: { n, text: 'x'.repeat(1000) } }))
    await sendTo(url + batch, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.map((row) => JSON.stringify(row)).join('\n'),
    })
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const abort = new AbortController()
    const begun = await fetch(`${url}${batch}/export`, { headers, signal: abort.signal })
    await begun.body?.getReader().read()
    abort.abort()
    // The service has taken the request when it asks for the body.
    const unbegun = request(url + batch, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-ndjson',
        'content-length': '10',
        expect: '100-continue',
      },
    })
    unbegun.on('error', () => {})
    unbegun.flushHeaders()
    await once(unbegun, 'continue')
    unbegun.destroy()
    const aborted = () => logLinesOf<{ msg: string; route: string }>(oqs, 'requestAborted')
    await expect.poll(aborted).toHaveLength(2)
    const [ofExport, ofBatch] = aborted().toSorted((a, b) => b.route.length - a.route.length)
    expect(ofExport).toMatchObject({
      level: 'info',
      status: 200,
      route: expect.stringMatching(/\/export$/),
      caller: expect.any(String),
    })
    expect(ofBatch).toMatchObject({ level: 'info', method: 'POST' })
    expect(ofBatch).not.toHaveProperty('status')
    const finished = logLinesOf<{ msg: string }>(oqs, 'requestFinished')
    expect(finished).toMatchObject([{ method: 'PUT' }, { method: 'POST' }])
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text()
    expect(metrics.match(/^oqs_http_requests_aborted_total\{.*\} 1$/gm)).toHaveLength(2)
  })

  it('has the warnings of packages as JSON lines', async () => {
    const OQS_STORE = 'postgres://oqs:s3cret@127.0.0.1:1/oqs?sslmode=require'
    const { code, stderr } = await runOqs(['serve'], settings({ OQS_STORE }))
    expect(code).toBe(1)
    expect(logLines(stderr)).toMatchObject([
      { level: 'warn', msg: 'warned', warning: expect.stringContaining("'sslmode=verify-full'") },
    ])
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^oqs: OQS_STORE is .* ECONNREFUSED/)
    expect(stderr.trim().split('\n')).toHaveLength(2)
  })
})

describe('an address that cannot be listened on', () => {
  it.for(['203.0.113.4', 'no..host'])(
    'is reported with the name of its setting: %s',
    async (host) => {
      await expect(startService({ settings: { OQS_HOST: host } })).rejects.toThrow(
        /^OQS_HOST is "[^"]+": .*(?:EADDRNOTAVAIL|ENOTFOUND).*$/,
      )
    },
  )

  it('is reported in one line by a service with workers', async () => {
    const more = { OQS_HOST: '203.0.113.4', OQS_WORKERS: '2' }
    const { code, stderr } = await runOqs(['serve'], settings(more))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^oqs: OQS_HOST is "203\.0\.113\.4": .*EADDRNOTAVAIL.*\n$/)
  })
})
