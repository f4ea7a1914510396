import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { logLinesOf, type OqsProcess, startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

const { settings } = useServiceFolder()

describe('a running service', () => {
  it.for(['SIGABRT', 'SIGBUS', 'SIGSEGV', 'SIGQUIT', 'SIGUSR2'] as const)(
    'ignores SIGHUP and logs it, and is ended by %s, not with status 0',
    async (signal) => {
      await using oqs = startOqs(['serve'], settings())
      const url = await waitForLine(oqs, 'listening on ')
      oqs.child.kill('SIGHUP')
      while (logLinesOf(oqs, 'signalIgnored').length === 0)
        await once(oqs.child.stderr ?? oqs.child, 'data')
      expect(logLinesOf(oqs, 'signalIgnored')).toMatchObject([{ level: 'info', signal: 'SIGHUP' }])
      expect((await sendTo(`${url}/readyz`, { token: null })).status).toBe(200)
      const exited = once(oqs.child, 'exit')
      oqs.child.kill(signal)
      expect(await exited).toEqual([null, signal])
    },
  )
})

describe.runIf(process.platform === 'linux')('a service whose reader process is killed', () => {
  it('logs it, and answers the next slow query', async () => {
    await using oqs = startOqs(['serve'], settings({ OQS_ADMIN_TOKEN: ADMIN_TOKEN }))
    const url = await waitForLine(oqs, 'listening on ')
    const admin = `${url}/api/admin/v1/ontologies/numbers`
    expect((await sendTo(admin, { method: 'PUT', json: NUMBERS })).status).toBe(200)
    // Queries on a type without objects need no reader process.
    const batch = await sendTo(`${admin}/objects/number`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"put":{"n":1,"text":"secret"}}',
    })
    expect(batch.status).toBe(200)
    const search = async () => {
      const query = { type: 'anyTerm', field: 'properties.text', value: 'secret' }
      const path = '/api/v1/ontologies/numbers/objects/number/search'
      return (await sendTo(url + path, { json: { query } })).status
    }
    expect(await search()).toBe(200)
    const readerPid = Number(childrenOf(oqs)[0])
    process.kill(readerPid, 'SIGSEGV')
    while (logLinesOf(oqs, 'readerEnded').length === 0) await sleep(10)
    expect(logLinesOf(oqs, 'readerEnded')).toMatchObject([
      { level: 'warn', readerPid, signal: 'SIGSEGV' },
    ])
    expect(await search()).toBe(200)
    oqs.child.kill('SIGTERM')
    expect(await oqs.ended).toBe(0)
    // A process that the service itself stops is not logged.
    expect(logLinesOf(oqs, 'readerEnded')).toHaveLength(1)
  })
})

describe.runIf(process.platform === 'linux')('a service with workers that starts', () => {
  it.for(['SIGTERM', 'SIGINT'] as const)('is ended by %s without a message', async (signal) => {
    // Workers must not complete their start before the signal.
    const holdWorkers = `data:text/javascript,
      import cluster from 'node:cluster';
      if (cluster.isWorker) await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))`
    const more = { OQS_WORKERS: '2', NODE_OPTIONS: `--import "${holdWorkers}"` }
    await using oqs = startOqs(['serve'], settings(more))
    while (childrenOf(oqs).length === 0) await sleep(1)
    oqs.child.kill(signal)
    // The output ends with the last worker.
    expect(await oqs.ended).toBe(null)
    expect(oqs.child.signalCode).toBe(signal)
    expect([oqs.stdout(), oqs.stderr()]).toEqual(['', ''])
  })
})

function childrenOf({ child: { pid } }: OqsProcess): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
}
