import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOURCE_REPORTS_MAX } from '../../src/contract/source-report.ts'
import { NUMBERS } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
})
afterAll(() => service[Symbol.asyncDispose]())

const REPORT = {
  state: 'following',
  once: false,
  tables: 2,
  stoppedTables: [{ table: 'public.orders', reason: 'id has another type' }],
  lagBytes: 4096,
  lagSeconds: 1.5,
  retainedBytes: 8192,
}

const path = (source: string) => `/api/admin/v1/ontologies/numbers/transactions/${source}/report`
const report = (source: string, json: unknown = REPORT, token?: string) =>
  service.send(path(source), { method: 'PUT', json, ...(token === undefined ? {} : { token }) })
const remove = (source: string) => service.send(path(source), { method: 'DELETE' })
const listed = async () => (await service.send('/api/admin/v1/status')).body.sources
const series = async (metric: string) => {
  const { text } = await service.send('/metrics')
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`))
}

describe('the report of a source', () => {
  it('is in the status and in the metrics, with its age, until it is deleted', async () => {
    const reportedAt = new Date(service.clock.now).toISOString()
    const stored = { ontology: 'numbers', source: 'slot.7', ...REPORT, reportedAt }
    expect(await report('slot.7')).toMatchObject({ status: 200, body: stored })
    expect(await listed()).toEqual([stored])
    service.clock.now += 90_000
    const labels = '{ontology="numbers",source="slot.7",once="false"}'
    expect(await series('oqs_sync_lag_bytes')).toEqual([`oqs_sync_lag_bytes${labels} 4096`])
    expect(await series('oqs_sync_lag_seconds')).toEqual([`oqs_sync_lag_seconds${labels} 1.5`])
    expect(await series('oqs_sync_retained_bytes')).toEqual([
      `oqs_sync_retained_bytes${labels} 8192`,
    ])
    expect(await series('oqs_sync_stopped_tables')).toEqual([`oqs_sync_stopped_tables${labels} 1`])
    expect(await series('oqs_sync_report_age_seconds')).toEqual([
      `oqs_sync_report_age_seconds${labels} 90`,
    ])
    expect((await remove('slot.7')).body).toEqual({ deleted: true })
    expect((await remove('slot.7')).body).toEqual({ deleted: false })
    expect(await listed()).toEqual([])
    expect(await series('oqs_sync_report_age_seconds')).toEqual([])
  })

  it('replaces the last one, and may lack what is not known', async () => {
    await report('slot.7')
    const first = { state: 'copying', once: true, tables: 1, stoppedTables: [] }
    await report('slot.7', first)
    expect(await listed()).toEqual([expect.not.objectContaining({ lagBytes: expect.anything() })])
    expect(await series('oqs_sync_lag_bytes')).toEqual([])
    await report('slot.7', { ...first, state: 'failed', problem: 'the slot was dropped' })
    expect(await listed()).toMatchObject([{ state: 'failed', problem: 'the slot was dropped' }])
    await remove('slot.7')
  })

  it.each([
    ['an unknown state', { ...REPORT, state: 'asleep' }],
    ['a negative number', { ...REPORT, lagBytes: -1 }],
    ['an unknown member', { ...REPORT, more: true }],
    ['too many tables', { ...REPORT, stoppedTables: Array(51).fill(REPORT.stoppedTables[0]) }],
    ['a long reason', { ...REPORT, stoppedTables: [{ table: 't', reason: 'x'.repeat(301) }] }],
  ])('is refused with %s', async (_, json) => {
    expect((await report('slot.7', json)).status).toBe(422)
    expect(await listed()).toEqual([])
  })

  it('needs the right to write to the ontology', async () => {
    const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
    expect((await report('slot.7', REPORT, reader)).status).toBe(403)
    const other = await service.createToken({
      scopes: ['api:ontologies-write'],
      ontologies: ['other'],
    })
    expect((await report('slot.7', REPORT, other)).status).toBe(404)
  })

  it('replaces the oldest one when an ontology has many, and goes with the ontology', async () => {
    for (let at = 0; at <= SOURCE_REPORTS_MAX; at += 1) {
      service.clock.now += 1000
      expect((await report(`slot.${at}`)).status).toBe(200)
    }
    const names = (await listed()).map(({ source }: { source: string }) => source)
    expect(names).toHaveLength(SOURCE_REPORTS_MAX)
    expect(names).not.toContain('slot.0')
    await service.send('/api/admin/v1/ontologies/numbers?cascade=true', { method: 'DELETE' })
    expect(await listed()).toEqual([])
  })
})
