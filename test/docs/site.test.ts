/** The static site of the documentation: its links, its pictures, and its search in a browser. */

import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../scripts/docs/build-site.ts'
import { readChapters, readPages } from '../../scripts/docs/pages.ts'
import { openBrowser, openPage } from '../support/browser.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

let folder: TempFolder
let files: string[]
const read = (file: string) => readFileSync(join(folder.path, file), 'utf8')

beforeAll(() => {
  folder = tempFolder()
  buildSite({ folder: folder.path, sourceUrl: undefined })
  files = globSync('**/*.html', { cwd: folder.path })
})
afterAll(() => folder[Symbol.dispose]())

describe('the site', () => {
  it('has a page for every document', () => {
    expect(files.length).toBe(readPages().size)
  })

  it('leads only to pages, headings and files that exist', () => {
    const anchors = new Map(
      files.map((file) => [
        file,
        new Set([...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    )
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/ (?:href|src|srcset)="([^"]+)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^(?:https?|data):/.test(target))
        .filter((target) => {
          const [path = '', anchor] = target.split('#')
          const to = path === '' ? file : join(dirname(file), path)
          if (!existsSync(join(folder.path, to))) return true
          return anchor !== undefined && anchors.get(to)?.has(anchor) !== true
        })
        .map((target) => `${file}: ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('leads to sources where they can be read', () => {
    using other = tempFolder()
    buildSite({ folder: other.path, sourceUrl: 'https://host/owner/name/blob/main' })
    const page = readFileSync(join(other.path, 'contributing/guarantees.html'), 'utf8')
    expect(page).toContain('href="https://host/owner/name/blob/main/test/properties/')
    expect(read('contributing/guarantees.html')).not.toContain('href="../../test/')
  })

  it('draws every diagram', () => {
    for (const { source, target, text } of readPages().values()) {
      const diagrams = text.match(/^```mermaid$/gm)?.length ?? 0
      expect([source, read(target).match(/<svg /g)?.length ?? 0]).toEqual([source, diagrams])
    }
  })

  it('reads in the order of the map, from the tutorial to the path of a request', () => {
    const chapters = readChapters(readPages())
    expect(chapters.map(({ title }) => title)).toEqual([
      'Tutorial',
      'How-to',
      'Reference',
      'Explanation',
      'Contributing',
    ])
    const [first, second] = chapters.flatMap(({ pages }) => pages)
    expect(read(first?.target ?? '')).toContain(`Next: <a href="../${second?.target}"`)
  })

  it('finds a page while somebody types, without another host', async () => {
    await using server = createServer(({ url = '/' }, response) => {
      const file = join(folder.path, new URL(url, 'http://site').pathname)
      response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain')
      if (existsSync(file)) response.end(readFileSync(file))
      else response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using browser = await openBrowser()
    await using watched = await openPage(browser)
    const { page, faults } = watched
    const { port } = server.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/explanation/model.html`)
    expect(await page.locator('main figure svg').first().isVisible()).toBe(true)
    await page.keyboard.press('/')
    await page.keyboard.type('walk takes too lon')
    await page.getByRole('link', { name: 'What if a walk takes too long?' }).click()
    await page.waitForURL('**/how-to/snapshots.html#what-if-a-walk-takes-too-long')
    expect(faults()).toEqual([])
  })
})
