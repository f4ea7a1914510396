/** The explorer while the process of the service ends and another one starts. */
import { expect, it } from 'vitest'
import { openBrowser, openExplorer, openPage } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type OqsProcess, startOqs, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'
import { counted, toEnd, tryNow } from '../support/walked-rows.ts'

const COUNT = 1200

async function fill(url: string): Promise<void> {
  const properties = { id: { type: 'integer' }, name: { type: 'string' } }
  const json = {
    apiName: 'restart',
    objectTypes: [{ apiName: 'row', primaryKey: 'id', titleProperty: 'name', properties }],
  }
  const path = `${url}/api/admin/v1/ontologies/restart`
  expect((await sendTo(path, { method: 'PUT', json })).status).toBe(200)
  const lines = Array.from({ length: COUNT }, (_, id) =>
    JSON.stringify({ put: { id, name: `row ${id}` } }),
  )
  const headers = { 'content-type': 'application/x-ndjson' }
  const batch = { method: 'POST', headers, body: lines.join('\n') }
  expect((await sendTo(`${path}/objects/row`, batch)).status).toBe(200)
}

it('keeps its rows while the service is down, and reads on from the next process', async () => {
  await using store = await createTestStore()
  const settings = {
    OQS_PORT: String(await freePort()),
    OQS_STORE: store.name,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  }
  const url = `http://127.0.0.1:${settings.OQS_PORT}`
  const serve = async (): Promise<OqsProcess> => {
    const oqs = startOqs(['serve'], settings)
    await waitForLine(oqs, 'listening on ')
    return oqs
  }
  await using browser = await openBrowser()
  await using watched = await openPage(browser)
  const { page } = watched
  {
    await using first = await serve()
    await fill(url)
    await openExplorer(page, { url, token: ADMIN_TOKEN, path: '/o/restart/row' })
    await counted(page, '1,000 read of 1,200')
    first.child.kill('SIGTERM')
    await first.ended
  }
  await toEnd(page)
  await page.getByText('The service cannot be reached.').waitFor()
  await counted(page, '1,000 read of 1,200')
  await page.getByRole('gridcell', { name: 'row 999', exact: true }).waitFor()
  await using second = await serve()
  await tryNow(page, '1,200 read of 1,200')
  await page.goto(`${url}/o/restart/row/1199`)
  await page.getByRole('heading', { name: 'row 1199' }).waitFor()
  expect(watched.faults()).toEqual([])
  expect(second.child.exitCode).toBeNull()
})
