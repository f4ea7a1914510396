import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATA_PACKAGES } from '../../src/server/demo/data-packages.ts'
import { DEMO_COUNTS } from '../../src/server/demo/open-demo.ts'
import { NUMBERS } from '../support/ontologies.ts'
import { type OqsProcess, startNode, startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

let folder: TempFolder
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => folder[Symbol.dispose]())

const settings = () => ({
  OQS_PORT: '0',
  OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
  OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  OQS_LIST_OBJECTS_LIMIT: 'none',
})

/** Follows the printed link as a browser does, and uses the cookie that it gets. */
async function signIn(url: string, link: string): Promise<void> {
  expect(link).toMatch(/^http:\/\/[^/]+\/#code=[\w-]{43}$/)
  expect(link.startsWith(url)).toBe(true)
  const json = { code: new URL(link).hash.slice('#code='.length) }
  const session = { 'oqs-session': 'test' }
  const exchange = () =>
    sendTo(`${url}/api/admin/v1/sessions`, { token: null, json, headers: session })
  const cookie = String((await exchange()).headers.get('set-cookie')?.split(';')[0])
  const headers = { ...session, cookie }
  const tokens = (await sendTo(`${url}/api/admin/v1/tokens`, { token: null, headers })).body.data
  expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['demo', 'demo in a browser'])
  expect((await exchange()).body.errorName).toBe('InvalidOneTimeCode')
}

describe('oqs serve --demo', () => {
  it('prints a command that works at once, loads in the background, survives a kill', async () => {
    let token: string
    {
      await using oqs = startOqs(['serve', '--demo'], settings())
      const url = await waitForLine(oqs, 'listening on ')
      token = await waitForLine(oqs, 'token ')
      const command = await waitForLine(oqs, 'try ')
      expect(command).toContain(token)
      await signIn(url, await waitForLine(oqs, 'open '))
      const { stdout } = await promisify(execFile)('bash', ['-c', command])
      expect(keysOf(JSON.parse(stdout), 'iata')).toEqual(['AAA', 'AAB', 'AAC'])
      expect(await countOf(url, 'airport')).toBe(DEMO_COUNTS['airport'])
      await followLinks(url)

      // In the middle of the load.
      await untilCount(url, 'flight', 1)
      oqs.child.kill('SIGKILL')
      await oqs.ended
    }
    {
      await using stopped = startOqs(['serve', '--demo'], settings())
      await waitForLine(stopped, 'listening on ')
      await expectStop(stopped)
      expect(stopped.stdout()).not.toContain('demo ')
    }
    await using oqs = startOqs(['serve', '--demo'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    await untilCount(url, 'city', 1)
    // Somebody has exported it.
    expect((await sendTo(`${url}/api/admin/v1/me`, { token })).status).toBe(200)
    for (const type of Object.keys(DEMO_COUNTS)) {
      expect([type, await countOf(url, type)]).toEqual([type, DEMO_COUNTS[type]])
    }
    expect(await walkIds(url, 'flight')).toEqual(
      Array.from({ length: 20_000 }, (_, index) => index + 1),
    )
    await expectStop(oqs)
  })

  it('does not change a store with another ontology', async () => {
    {
      await using service = await startService({ store: settings().OQS_STORE })
      await service.apply(NUMBERS)
    }
    await using oqs = startOqs(['serve', '--demo'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    expect(await waitForLine(oqs, 'demo ')).toMatch(
      /^not loaded: the store already has other ontologies/,
    )
    expect((await sendTo(`${url}/api/admin/v1/ontologies/aviation`)).status).toBe(404)
    expect((await sendTo(`${url}/api/admin/v1/ontologies/numbers`)).status).toBe(200)
  })

  it('starts without the packages of the demo, and says how to install them', async () => {
    const oqs = copyWithout(DATA_PACKAGES)
    // Started elsewhere, because packages in the current folder are found.
    await using started = startNode([oqs, 'serve', '--demo'], settings(), 'ignore', folder.path)
    const url = await waitForLine(started, 'listening on ')
    const message = await waitForLine(started, 'demo ')
    expect((await sendTo(`${url}/api/v1/ontologies`)).body.data).toEqual([])
    expect(message).toMatch(
      /^not loaded: the packages airport-data-js, .* are missing\. .*: npm install .* airport-data-js@\d+\.\d+\.\d+ /,
    )
    await expectStop(started)
  })
})

const listUrl = (url: string, type: string) => `${url}/api/v1/ontologies/aviation/objects/${type}`

async function countOf(url: string, type: string): Promise<number> {
  const { body } = await sendTo(`${listUrl(url, type)}?pageSize=1`)
  return Number(body.totalCount)
}

async function untilCount(url: string, type: string, count: number): Promise<void> {
  while ((await countOf(url, type)) < count) await sleep(20)
}

interface Page {
  readonly data: readonly { readonly properties: Readonly<Record<string, unknown>> }[]
}

function keysOf({ data }: Page, key: string): unknown[] {
  return data.map(({ properties }) => properties[key])
}

async function walkIds(url: string, type: string): Promise<unknown[]> {
  const ids: unknown[] = []
  let next = ''
  for (;;) {
    const { body } = await sendTo(`${listUrl(url, type)}?pageSize=1000&properties=id${next}`)
    ids.push(...keysOf(body, 'id'))
    if (body.nextPageToken === undefined) return ids
    next = `&pageToken=${body.nextPageToken}`
  }
}

/** Follows links from an airport to its country and back, in both revisions. */
async function followLinks(url: string): Promise<void> {
  const country = await sendTo(`${listUrl(url, 'airport')}/LAX/links/country`)
  expect(keysOf(country.body, 'name')).toEqual(['United States'])
  const airports = await sendTo(`${listUrl(url, 'country')}/SG/links/airports`)
  expect(keysOf(airports.body, 'iata')).toContain('SIN')
  const search = await sendTo(`${url}/api/gotham/v1/objects/types/country/search`, {
    json: { query: { type: 'empty' }, pageSize: 1 },
  })
  expect(search.body.data[0]).toMatchObject({ primaryKey: 'AD', title: 'Andorra' })
}

/** A service that exceeds its stop timeout exits with another status. */
async function expectStop(oqs: OqsProcess): Promise<void> {
  oqs.child.kill('SIGTERM')
  expect(await oqs.ended).toBe(0)
}

/** Copies the service to a folder without some packages; returns the path of its command. */
function copyWithout(packages: readonly string[]): string {
  const copy = join(folder.path, 'service')
  for (const part of ['bin', 'src', 'package.json']) {
    cpSync(part, join(copy, part), { recursive: true })
  }
  for (const name of globSync('{@*/*,[!@.]*}', { cwd: 'node_modules' })) {
    if (packages.includes(name)) continue
    const link = join(copy, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(resolve('node_modules', name), link)
  }
  return join(copy, 'bin/oqs.js')
}
