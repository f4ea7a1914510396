/** Makes the pictures of the documentation from a running demo; see the help. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, openPage } from '../test/support/browser.ts'
import { runScript, TEXT } from './measure/command-line.ts'
import { print, showProgress } from './measure/progress.ts'
import { toIndexedPng } from './pictures/indexed-png.ts'

const FOLDER = fileURLToPath(new URL('../docs/images', import.meta.url))
const URL_OF_DEMO = 'http://127.0.0.1:8080'
const LIMIT_KB = 200

const HELP = `Usage: npm run explorer:pictures -- [options]

Takes the pictures of docs/images from the demo of a running service, in Chromium. Size, language, time
zone and data are fixed, so that pictures differ only where the explorer differs, or a time is shown.
Each picture may have at most ${LIMIT_KB} kB. Needs Chromium on the PATH or in CHROMIUM_PATH, and the API
token of the demo in OQS_TOKEN. The exit status is 0, 1 when a picture is too large, or 2 when the run
fails.

  --url URL         address of the service (default OQS_URL, or ${URL_OF_DEMO})
  --only NAME       this picture only`

interface Picture {
  readonly name: string
  readonly path: string
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Waits until everything that the picture shows has arrived. */
  readonly ready: (page: Page) => Promise<void>
}

const seen = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()
const LARGE_CITIES =
  '/o/aviation/city?w=population:gte:10000&o=population:desc&c=name,countryCode,population,isCapital'

/** Each map has its land, and its points over it. */
const home = async (page: Page) => {
  await seen(page, '135,233')
  await seen(page, 'Date')
  for (const type of ['City', 'Airport', 'Country']) {
    const paths = page.getByRole('link', { name: new RegExp(`^${type}`) }).locator('svg path')
    await paths.locator('xpath=self::*[@d!=""]').first().waitFor({ state: 'attached' })
    await paths.nth(1).waitFor({ state: 'attached' })
  }
}

const PICTURES: readonly Picture[] = [
  { name: 'home-light', path: '/', ready: home },
  { name: 'home-dark', path: '/', colorScheme: 'dark', ready: home },
  {
    name: 'table',
    path: LARGE_CITIES,
    ready: async (page) => {
      await seen(page, '22,315,474')
      await seen(page, 'United States')
      await seen(page, 'Bangladesh')
    },
  },
  {
    name: 'request',
    path: LARGE_CITIES,
    colorScheme: 'dark',
    ready: async (page) => {
      await seen(page, 'United States')
      await seen(page, 'Bangladesh')
      await page.getByRole('button', { name: 'Request' }).click()
      await page.getByRole('button', { name: 'Copy' }).waitFor()
    },
  },
  {
    name: 'pictures',
    path: '/o/aviation/flight?view=pictures',
    ready: async (page) => {
      const charts = page.locator('section[aria-label] svg[role="group"]')
      await charts.nth(3).waitFor()
      await page.getByRole('list', { name: 'Destination' }).getByText('Dallas').first().waitFor()
      await page.getByRole('list', { name: 'Origin' }).getByText('Dallas').first().waitFor()
    },
  },
  {
    name: 'map',
    path: '/o/aviation/airport?view=map',
    ready: async (page) => {
      await seen(page, '10,131 objects on this part of the map')
      await seen(page, 'Papua New Guinea')
    },
  },
  {
    name: 'object',
    path: '/o/aviation/airport/ATL',
    ready: async (page) => {
      await page.getByText('of 10,131').waitFor()
      await seen(page, '846')
      await seen(page, '825')
      await page.locator('svg[role="img"] path').nth(1).waitFor({ state: 'attached' })
    },
  },
  {
    name: 'phone',
    path: '/o/aviation/airport/ZRH',
    width: 390,
    height: 844,
    ready: async (page) => {
      await page.getByText('of 10,131').waitFor()
      await page.getByRole('link', { name: 'Switzerland' }).first().waitFor()
    },
  },
]

await runScript({
  name: 'explorer:pictures',
  help: HELP,
  options: { url: TEXT, only: TEXT },
  run: async ({ url = process.env['OQS_URL'] ?? URL_OF_DEMO, only }) => {
    const token = process.env['OQS_TOKEN']
    if (token === undefined) throw new Error('Set OQS_TOKEN to the token that npm start printed.')
    const chosen = PICTURES.filter(({ name }) => only === undefined || name === only)
    if (chosen.length === 0) throw new Error(`There is no picture ${only}.`)
    const browser = await openBrowser()
    try {
      const sizes = []
      for (const picture of chosen) sizes.push(await take(browser, picture, url, token))
      return sizes.every((kb) => kb <= LIMIT_KB)
    } finally {
      await browser.close()
    }
  },
})

/** Takes a picture; returns its size in kB. */
async function take(
  browser: Browser,
  { name, path, ready, ...look }: Picture,
  url: string,
  token: string,
): Promise<number> {
  showProgress(`taking ${name}`)
  await using watched = await openPage(browser, look)
  const { page } = watched
  await page.addInitScript(`sessionStorage.setItem('oqs.token', ${JSON.stringify(token)})`)
  await page.goto(new URL(path, url).href)
  await ready(page)
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready.then(() => document.activeElement?.blur())')
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const png = await toIndexedPng(browser, shot)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${name}.png`), png)
  const kb = Math.ceil(png.length / 1000)
  print(`${name.padEnd(12)} ${String(kb).padStart(4)} kB${kb > LIMIT_KB ? '  TOO LARGE' : ''}`)
  return kb
}
