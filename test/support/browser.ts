/** A real Chromium for the tests of the explorer, and what every page of it must hold to. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import axe, { type AxeResults, type RunOptions } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type BrowserProgram, packagedChromium } from './packaged-chromium.ts'

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Only ends what hangs. */
const HANGS_AFTER_MS = 120_000

/** Starts Chromium; disposing stops it. */
export function openBrowser(): Promise<Browser> {
  // Chromium refuses to start its sandbox as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const { executablePath, env } = findChromium()
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } })
}

function findChromium(): BrowserProgram {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen !== undefined) return { executablePath: chosen, env: {} }
  const packaged = packagedChromium()
  if (packaged !== undefined) return packaged
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(
    isProgram,
  )
  if (found !== undefined) return { executablePath: found, env: {} }
  throw new Error(
    'The tests of the explorer need Chromium. The package @sparticuz/chromium has none for this system, and the PATH has none either: install Chromium, or set CHROMIUM_PATH to the program.',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** A phone or tablet: fingers, and nothing that can hover. */
  readonly isTouch?: boolean
}

/** A page in a profile of its own; disposing closes it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  /** Returns what must not happen on any page: other hosts, policy violations, uncaught errors. */
  readonly faults: () => readonly string[]
  /** Returns the faults since the last call, for pages that several tests share. */
  readonly takeFaults: () => readonly string[]
}

/** Opens a page, and watches it from its first request on. */
export async function openPage(
  browser: Browser,
  { width = 1280, height = 800, colorScheme = 'light', isTouch = false }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    hasTouch: isTouch,
    isMobile: isTouch,
    // Colours in the middle of a transition have no contrast to check.
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(HANGS_AFTER_MS)
  const faults: string[] = []
  const page = await context.newPage()
  const hosts = new Set<string>()
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol === 'data:' || protocol === 'blob:') return
    hosts.add(host)
    if (hosts.size > 1) faults.push(`request to another host: ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`uncaught error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (/Content Security Policy|Trusted ?(Types|HTML|Script)/i.test(text)) faults.push(text)
  })
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return {
    page,
    faults: () => faults,
    takeFaults: () => faults.splice(0),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

export interface ExplorerAddress {
  readonly url: string
  /** Nobody is signed in without a token. */
  readonly token?: string
  readonly path?: string
}

/** Opens an address of the explorer, signed in. */
export async function openExplorer(
  page: Page,
  { url, token, path = '/' }: ExplorerAddress,
): Promise<void> {
  if (token !== undefined) await signIn(page, url, token)
  await page.goto(url + path)
}

/**
 * Signs the browser in, as a tab finds it that is opened later, or out if there is no token. A file of
 * the same origin does it: the explorer itself would run before the storage is clear.
 */
export async function signIn(page: Page, url: string, token: string | null): Promise<void> {
  await page.goto(`${url}/favicon.svg`)
  await page.context().clearCookies()
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  if (token === null) return
  const answer = await fetch(`${url}/api/admin/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'oqs-session': 'test' },
    body: JSON.stringify({ token }),
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  const [, name = '', value = '', path = ''] = /^(\w+)=([\w-]+); Path=([^;]+)/.exec(cookie) ?? []
  const { hostname, pathname } = new URL(url)
  await page.context().addCookies([{ name, value, path, domain: hostname, httpOnly: true }])
  const mark = `oqs.session${pathname.replace(/\/$/, '')}`
  await page.evaluate(`localStorage.setItem(${JSON.stringify(mark)}, 'test')`)
}

/** The only rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Returns the violations that axe finds on the screen, or in the elements that a selector chooses, in
 * light and in dark.
 */
export async function accessibilityFaults(page: Page, within?: string): Promise<readonly string[]> {
  // Half a megabyte, which a document gets once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const faults: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    const options: RunOptions = {
      // What passes is not described, which takes longer than to check it.
      resultTypes: ['violations'],
      preload: false,
      ...(colorScheme === 'dark' && { runOnly: COLOUR_RULES }),
    }
    const parameters = [within ?? 'html', options].map((each) => JSON.stringify(each))
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${parameters})`)
    for (const { id, help, nodes } of violations) {
      const targets = nodes.map(({ target, failureSummary = '' }) => `${target} ${failureSummary}`)
      faults.push(`${colorScheme}: ${id} (${help}): ${targets.slice(0, 3).join('; ')}`)
    }
  }
  return faults
}
