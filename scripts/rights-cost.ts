/**
 * Measures what a policy costs: pages of 100 with and without a rule on an indexed property, in turn
 * in one process, by CPU time. `OQS_STORE` names a store to use instead of a new SQLite file; the
 * ontology `rights-cost` in it is replaced.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiToken } from '../src/server/api-token.ts'
import { readConfig } from '../src/server/config.ts'
import { startServer } from '../src/server/server.ts'

const OBJECTS = 40_000
const BATCH = 20_000
const ROUNDS = 9
const PAGES_PER_ROUND = 40
const ADMIN = 'rights-cost-admin-token'
const REGIONS = ['north', 'south', 'east', 'west', 'centre', 'coast', 'hills']

const folder = mkdtempSync(join(tmpdir(), 'oqs-rights-cost-'))
try {
  const config = readConfig({
    OQS_PORT: '0',
    OQS_STORE: process.env['OQS_STORE'] ?? `sqlite:${join(folder, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN,
    OQS_LOG_LEVEL: 'silent',
    OQS_PAGE_CACHE_BYTES: '0',
    OQS_RATE_LIMIT_PER_MINUTE: 'none',
    OQS_MAX_CONCURRENT_REQUESTS: 'none',
  })
  await using server = await startServer(config, { log: () => {} })
  const send = async (path: string, token: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const response = await fetch(server.url + path, { ...init, headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text) as { data: unknown[]; nextPageToken?: string }
  }
  await load(send)
  const tokenOf = async (name: string, policies: readonly string[] | undefined) => {
    const scopes = ['api:ontologies-read' as const]
    const spec = { name, scopes, ontologies: undefined, policies, expiresAtMs: undefined }
    return (await createApiToken(server.store, spec, Date.now())).secret
  }
  const list = '/api/v2/ontologies/rights-cost/objects/item?pageSize=100'
  const plain = await tokenOf('plain', undefined)
  const cases = {
    'a rule on an indexed property': await tokenOf('rule', ['rule']),
    'a hidden property': await tokenOf('hide', ['hide']),
    both: await tokenOf('both', ['both']),
  }

  /** Returns the CPU time of a page of a walk, in microseconds. */
  const round = async (token: string) => {
    let pageToken: string | undefined
    const start = process.cpuUsage()
    for (let page = 0; page < PAGES_PER_ROUND; page += 1) {
      const next = pageToken === undefined ? '' : `&pageToken=${pageToken}`
      const { data, nextPageToken } = await send(list + next, token)
      if (data.length !== 100) throw new Error(`a page of ${data.length}`)
      pageToken = nextPageToken
    }
    const { user, system } = process.cpuUsage(start)
    return (user + system) / PAGES_PER_ROUND
  }
  for (const token of [plain, ...Object.values(cases)]) await round(token)
  for (const [name, token] of Object.entries(cases)) {
    const times = { plain: [] as number[], ruled: [] as number[] }
    for (let n = 0; n < ROUNDS; n += 1) {
      times.plain.push(await round(plain))
      times.ruled.push(await round(token))
    }
    const [a, b] = [median(times.plain), median(times.ruled)]
    const ratio = (b / a).toFixed(2)
    process.stdout.write(
      `${name}: ${ratio} × a plain page (${Math.round(a)} → ${Math.round(b)} µs)\n`,
    )
  }
} finally {
  rmSync(folder, { recursive: true })
}

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0
}

type Send = (path: string, token: string, init?: RequestInit) => Promise<unknown>

async function load(send: Send): Promise<void> {
  const put = (path: string, body: unknown) =>
    send(path, ADMIN, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const base = '/api/admin/v1/ontologies/rights-cost'
  await send(`${base}?cascade=true`, ADMIN, { method: 'DELETE' }).catch(() => {})
  const text = { type: 'string' }
  const properties = {
    id: { type: 'integer' },
    region: text,
    name: text,
    notes: text,
    secret: text,
  }
  await put(base, {
    apiName: 'rights-cost',
    objectTypes: [{ apiName: 'item', primaryKey: 'id', properties }],
  })
  for (let from = 0; from < OBJECTS; from += BATCH) {
    const lines = Array.from({ length: BATCH }, (_, offset) => {
      const id = from + offset
      const region = REGIONS[id % REGIONS.length]
      const notes = `notes about item ${id} in ${region}, which are as long as notes usually are`
      return JSON.stringify({ put: { id, region, name: `item ${id}`, notes, secret: `s${id}` } })
    })
    await send(`${base}/objects/item`, ADMIN, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    })
  }
  const where = { type: 'eq', field: 'region', value: 'south' }
  const right = { ontology: 'rights-cost', objectType: 'item', access: 'read' }
  for (const [name, more] of Object.entries({
    rule: { where },
    hide: { hide: ['secret'] },
    both: { where, hide: ['secret'] },
  })) {
    await put(`/api/admin/v1/policies/${name}`, { rights: [{ ...right, ...more }] })
  }
}
