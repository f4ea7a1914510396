/** Parts of the explorer that cannot be loaded: the service is gone, or it was upgraded. */
import { afterEach, expect, it } from 'vitest'
import type { ExplorerFiles } from '../../src/http/explorer/serve-explorer.ts'
import { compressFile } from '../../src/http/response/static-file.ts'
import { builtExplorer, startShop } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

/** The files that the service has; a test replaces them as an upgrade does. */
const served: { files?: ExplorerFiles | undefined } = {}

const suite = explorerSuite(() =>
  startShop({ explorer: async () => served.files ?? (await builtExplorer()) }),
)

afterEach(() => {
  served.files = undefined
})

/** Returns the explorer with other names for all scripts, as a changed source gives them. */
async function renamed(): Promise<ExplorerFiles> {
  const files = new Map(await builtExplorer())
  const scripts = [...files.keys()].filter((path) => path.endsWith('.js'))
  const names = scripts.map((path) => path.slice('/assets/'.length, -'.js'.length))
  for (const [path, { contentType, identity }] of [...files]) {
    if (!/\.(js|html)$/.test(path)) continue
    const text = names.reduce(
      (each, name) => each.replaceAll(name, `${name}-upgraded`),
      Buffer.from(identity.bytes).toString(),
    )
    files.delete(path)
    const to = path.endsWith('.js') ? path.replace(/\.js$/, '-upgraded.js') : path
    files.set(to, await compressFile(contentType, text))
  }
  return files
}

it('keeps the page when the service is gone and another layout is chosen, and resumes', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('grid').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  const note = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
  await note.waitFor()
  await page.getByRole('button', { name: 'Map', exact: true }).click()
  await note.waitFor()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.getByRole('grid').waitFor()

  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  await note.getByRole('button', { name: 'Try again' }).click()
  await note.waitFor()
  await page.context().setOffline(false)
  await note.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('group', { name: 'Price' }).waitFor()
})

it('reports a dialog or a screen that is lost, and keeps the rest', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('grid').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Not loaded' })
  await dialog.getByText('The service cannot be reached').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('gridcell').first().waitFor()

  await page.getByRole('link', { name: 'Admin' }).click()
  const note = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
  await note.waitFor()
  await page.getByRole('link', { name: 'Objects' }).waitFor()
  await page.context().setOffline(false)
  await note.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('navigation', { name: 'Administration' }).waitFor()
})

it('offers to reload after an upgrade, and keeps the view', async () => {
  // Another profile: its cache has no parts yet.
  await using elsewhere = await suite.visitElsewhere('/o/shop/item?w=price:gte:10')
  const { page } = elsewhere
  await page.getByRole('grid').waitFor()
  served.files = await renamed()
  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  const note = page.getByRole('alert').filter({ hasText: 'another release of the explorer' })
  await note.waitFor()
  expect(new URL(page.url()).search).toBe('?w=price:gte:10&view=charts')
  await note.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('group', { name: 'Price' }).waitFor()
  expect(new URL(page.url()).search).toBe('?w=price:gte:10&view=charts')
})

it('shows an error of a view in its place', async () => {
  await using elsewhere = await suite.visitElsewhere('/o/shop/item')
  const { page } = elsewhere
  await page.getByRole('grid').waitFor()
  const files = await builtExplorer()
  const path = [...files.keys()].find((name) => /charts-view-.*\.js$/.test(name)) ?? ''
  const source = Buffer.from(files.get(path)?.identity.bytes ?? '').toString()
  const name = /export\{\S+ as (\w+)\}/.exec(source)?.[1]
  const broken = `export const ${name} = () => { throw new Error('planted') }`
  served.files = new Map([...files, [path, await compressFile('text/javascript', broken)]])
  await page.getByRole('button', { name: 'Charts', exact: true }).click()
  await page.getByText('This view could not be shown: planted').waitFor()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.getByRole('grid').waitFor()
})
