/** The service, the browser and the page that the tests of one file share. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import {
  openBrowser,
  openExplorer,
  openPage,
  type PageOptions,
  signIn,
  type WatchedPage,
} from './browser.ts'
import { startShop } from './explorer-data.ts'
import { ADMIN_TOKEN, type Service } from './service.ts'

interface VisitOptions extends PageOptions {
  /** Null if nobody is signed in; the administrator if undefined. */
  readonly token?: string | null
}

export interface ExplorerSuite {
  readonly service: Service
  readonly browser: Browser
  /**
   * Opens an address in the page that all tests share, as a new tab would. A page of its own takes
   * several times as long, because it starts a process and compiles the explorer again.
   */
  visit(path: string, options?: VisitOptions): Promise<Page>
  /** Opens an address in another profile, which may be that of a phone. */
  visitElsewhere(path: string, options?: PageOptions): Promise<WatchedPage>
}

/** Starts a service and a browser for a file, and fails each test in which a page misbehaved. */
export function explorerSuite(start: () => Promise<Service> = startShop): ExplorerSuite {
  const parts: { service?: Service; browser?: Browser; shared?: WatchedPage } = {}
  let watched: WatchedPage[] = []
  beforeAll(async () => {
    parts.browser = await openBrowser()
    parts.service = await start()
    parts.shared = await openPage(parts.browser)
  })
  afterAll(async () => {
    await parts.browser?.close()
    await parts.service?.[Symbol.asyncDispose]()
  })
  afterEach(() => {
    const faults = [...watched, started(parts.shared)].flatMap((each) => each.takeFaults())
    watched = []
    expect(faults).toEqual([])
  })
  return {
    get service() {
      return started(parts.service)
    },
    get browser() {
      return started(parts.browser)
    },
    async visit(path, { token = ADMIN_TOKEN, width = 1280, height = 800, colorScheme } = {}) {
      const { url } = started(parts.service)
      const { page } = started(parts.shared)
      await page.context().setOffline(false)
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: colorScheme ?? 'light' })
      await signIn(page, url, token)
      await page.goto(url + path)
      return page
    },
    async visitElsewhere(path, options) {
      const other = await openPage(started(parts.browser), options)
      watched.push(other)
      await openExplorer(other.page, {
        url: started(parts.service).url,
        token: ADMIN_TOKEN,
        path,
      })
      return other
    },
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The tests of the explorer have not started.')
  return part
}
