import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { AIRPORTS, loadAviation } from './aviation.ts'

let service: Service
let settings: Environment
beforeAll(async () => {
  service = await startService()
  await loadAviation(service)
  settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
})
afterAll(() => service[Symbol.asyncDispose]())

const follow = (...more: readonly string[]) =>
  runCommand(['follow', '--ontology', 'aviation', '--type', 'airport', ...more], settings)

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

const tokenIn = (stderr: string) => /--since (\S+)\n$/.exec(stderr)?.[1] ?? ''

describe('oqs follow', () => {
  it('prints all objects, then what has changed since a token', async () => {
    const start = await follow('--from-start', '--once')
    expect(start.code).toBe(0)
    expect(linesOf(start.stdout)).toEqual(
      AIRPORTS.map((properties) => ({ put: { rid: expect.any(String), properties } })),
    )
    const [first] = AIRPORTS
    const changed = { ...first, name: 'Renamed' }
    await service.write('aviation', 'airport', [{ put: changed }, { delete: 'NRT' }])
    const next = await follow('--since', tokenIn(start.stderr), '--once')
    expect(linesOf(next.stdout)).toEqual([
      { put: { rid: expect.any(String), properties: changed } },
      { delete: { primaryKey: 'NRT', objectType: 'airport' } },
    ])
    const last = await follow('--since', tokenIn(next.stderr), '--once', '--tokens')
    expect([linesOf(last.stdout), last.stderr]).toEqual([
      [{ nextChangesToken: expect.any(String) }],
      '',
    ])
  })

  it('follows from now on, with filters, until it is stopped', async () => {
    const args = ['follow', '--ontology', 'aviation', '--type', 'airport', '--tokens']
    const filters = ['--where', 'countryCode.eq=DE', '--where', 'runwayFeet.gt=300']
    await using oqs = startOqs([...args, ...filters, '--select', 'city'], settings)
    await expect.poll(() => linesOf(oqs.stdout()).length).toBe(1)
    await service.put('aviation', 'airport', [
      { iata: 'BER', city: 'Berlin', countryCode: 'DE', runwayFeet: 400 },
      { iata: 'FMO', city: 'Greven', countryCode: 'DE', runwayFeet: 200 },
    ])
    await expect.poll(oqs.stdout).toContain('Berlin')
    await service.put('aviation', 'airport', [{ iata: 'BER', countryCode: 'DE', runwayFeet: 4 }])
    await expect.poll(oqs.stdout).toContain('delete')
    oqs.child.kill('SIGTERM')
    expect([await oqs.ended, oqs.stderr()]).toEqual([0, ''])
    expect(linesOf(oqs.stdout()).filter((line) => !('nextChangesToken' in Object(line)))).toEqual([
      { put: { rid: expect.any(String), properties: { iata: 'BER', city: 'Berlin' } } },
      { delete: { primaryKey: 'BER', objectType: 'airport' } },
    ])
  })

  it('says what to do about a token that cannot be used', async () => {
    const { stderr } = await follow('--once')
    const token = tokenIn(stderr)
    expect(await follow('--since', token, '--select', 'city', '--once')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /reason other request.* repeat its --type, --where and --select/,
      ),
    })
    service.clock.now += 25 * 3600 * 1000
    expect(await follow('--since', token, '--once')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/reason expired.* start again with --from-start/),
    })
  })
})
