/** HTTPS: a real process with a certificate that is replaced while it runs. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  logLinesOf,
  type OqsProcess,
  runOqs,
  startOqs,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const pem = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url))
const CERTIFICATES = ['first', 'second'].map((name) => readFileSync(pem(`${name}-cert`)))

describe('a service with a certificate', () => {
  let folder: TempFolder
  beforeEach(() => {
    folder = tempFolder()
    install('first')
  })
  afterEach(() => folder[Symbol.dispose]())

  const file = (name: string) => join(folder.path, name)
  function install(name: 'first' | 'second'): void {
    copyFileSync(pem(`${name}-cert`), file('cert.pem'))
    copyFileSync(pem(`${name}-key`), file('key.pem'))
  }
  const settings = () => ({
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${file('oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_TLS_CERT: file('cert.pem'),
    OQS_TLS_KEY: file('key.pem'),
  })

  /** Returns the name in the certificate that a new connection gets. */
  function certificateName(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca: CERTIFICATES }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      })
      socket.on('error', reject)
    })
  }

  function get(url: string, agent: Agent): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      request(url, { agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      })
        .on('error', reject)
        .end()
    })
  }

  const workers = ['1', '2']
  it.each(workers)('reloads it on SIGHUP and keeps connections, with %s workers', async (count) => {
    await using oqs = startOqs(['serve'], { ...settings(), OQS_WORKERS: count })
    const url = await waitForLine(oqs, 'listening on ')
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const port = Number(new URL(url).port)
    expect(await certificateName(port)).toBe('localhost first')

    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: CERTIFICATES })
    expect(await get(`${url}/api/admin/v1/me`, agent)).toBe(200)
    const [kept] = Object.values(agent.freeSockets)[0] ?? []
    expect(kept).toBeDefined()

    writeFileSync(file('key.pem'), 'damaged')
    oqs.child.kill('SIGHUP')
    await untilLogged(oqs, 'certificateReloadFailed', Number(count))
    expect(await certificateName(port)).toBe('localhost first')

    install('second')
    oqs.child.kill('SIGHUP')
    await untilLogged(oqs, 'certificateReloaded', Number(count))
    for (let connections = 0; connections < 4; connections += 1) {
      expect(await certificateName(port)).toBe('localhost second')
    }
    expect(await get(`${url}/api/admin/v1/me`, agent)).toBe(200)
    expect(Object.values(agent.freeSockets)[0]?.[0]).toBe(kept)
    agent.destroy()
    oqs.child.kill('SIGTERM')
    expect(await oqs.ended).toBe(0)
  })

  it('is used by commands that trust it, and survives clients that speak no TLS', async () => {
    await using oqs = startOqs(['serve'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    writeFileSync(file('things.json'), JSON.stringify(THINGS))
    const command = ['ontology', 'apply', file('things.json')]
    const client = { OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN }
    const trusted = await runOqs(command, { ...client, NODE_EXTRA_CA_CERTS: file('cert.pem') })
    expect([trusted.code, trusted.stderr]).toEqual([0, ''])
    const untrusted = await runOqs(command, client)
    expect(untrusted.code).toBe(1)
    expect(untrusted.stderr).toMatch(/certificate/)

    const port = Number(new URL(url).port)
    const answer = await new Promise<string>((resolve) => {
      const socket = connectTcp(port, '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
      })
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    expect(answer).not.toContain('HTTP/1.1 200')
    expect(await certificateName(port)).toBe('localhost first')
  })

  it('does not start with files that do not belong together', async () => {
    copyFileSync(pem('second-key'), file('key.pem'))
    const { code, stderr } = await runOqs(['serve'], settings())
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^oqs: OQS_TLS_KEY is ".*", which is not the key of the certificate ".*"\n$/,
    )
  })
})

const THINGS = {
  apiName: 'things',
  objectTypes: [{ apiName: 'thing', primaryKey: 'k', properties: { k: { type: 'string' } } }],
}

async function untilLogged(oqs: OqsProcess, event: string, count: number): Promise<void> {
  await expect.poll(() => logLinesOf(oqs, event).length, { timeout: 60_000 }).toBe(count)
}
