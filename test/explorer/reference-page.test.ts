/** The API reference at `/docs`, in a browser. */
import { expect, it } from 'vitest'
import { accessibilityFaults } from '../support/browser.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

it('finds, opens and copies an operation', async () => {
  const page = await suite.visit('/docs', { token: null })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('searchbox', { name: 'Search' }).fill('aggregate batch')
  const operation = page.locator('#aggregateObjectsBatch')
  expect(await operation.isVisible()).toBe(true)
  expect(await page.locator('#listObjects').isVisible()).toBe(false)
  await operation.locator('summary').click()
  await page.getByRole('button', { name: 'Copy the curl command of aggregateObjectsBatch' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^curl "\$OQS_URL\/api\/v2\/.*\/aggregateBatch" \\\n/)
  // Every button has a name, every pair of colours a contrast.
  expect(await accessibilityFaults(page)).toEqual([])
})

it('opens what an address names, and follows links to schemas', async () => {
  const page = await suite.visit('/docs#loadObjects', { token: null })
  const operation = page.locator('#loadObjects')
  expect(await operation.getAttribute('open')).not.toBeNull()
  await operation.getByRole('link', { name: 'LoadObjectsBody' }).click()
  await page.locator('#schema-LoadObjectsBody[open]').waitFor()
})
