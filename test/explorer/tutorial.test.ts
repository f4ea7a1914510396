/** The dashboard of the tutorial, which the test of the documented examples only creates. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startShop } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'

const TUTORIAL = readFileSync('docs/tutorial/from-a-file-to-a-dashboard.md', 'utf8')
const RIDES = 'docs/examples/tutorial/rides.csv'

async function startBikes(): Promise<Service> {
  const service = await startShop()
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const args = ['import', RIDES, '--ontology', 'bikes', '--type', 'ride', '--infer']
  expect(await runCommand(args, settings)).toMatchObject({ code: 0 })
  return service
}

const suite = explorerSuite(startBikes)

it('shows the tiles of the tutorial, whose bars filter them', async () => {
  const [, dashboard = ''] = /\/bikes\/views" --json '([^']*)'/.exec(TUTORIAL) ?? []
  const json: unknown = JSON.parse(dashboard)
  const path = '/api/admin/v1/ontologies/bikes/views'
  const { body } = await suite.service.send(path, { method: 'POST', json })
  const page = await suite.visit(`/dashboards/bikes/${body.id}`)
  const bars = page.getByRole('group', { name: 'Average of Minutes by Rider' }).getByRole('button')
  await expect.poll(() => bars.first().getAttribute('aria-label')).toBe('guest: 22.63')
  await page.getByRole('group', { name: /^Count by Started/ }).waitFor()
  await page.getByRole('cell', { name: '7.29' }).first().waitFor()
  await bars.first().click()
  await page.waitForURL(/w=rider:eq:guest/)
})
