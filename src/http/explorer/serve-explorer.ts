/**
 * Serves the explorer at `/`, from memory and without a token: the page itself holds no data.
 * Addresses of views (`/o/…`, `/dashboards/…`, `/admin`) get the same page, which reads its own address.
 */
import type { App } from '../app.ts'
import { compressFile, type StaticFile, sendStatic } from '../response/static-file.ts'

/** Files by path. `/index.html` is the page. */
export type ExplorerFiles = ReadonlyMap<string, StaticFile>

/** No inline code, no other hosts, no frames; values can never become markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only trusted-types policy; it starts the worker that loads files.
  'trusted-types oqs-load',
].join('; ')
const PAGE_HEADERS = { 'content-security-policy': POLICY }
/** A worker has the policy of its own file. Parquet's decompression is WebAssembly. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
/** Names of assets contain a hash of their content. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': WORKER_POLICY,
}

const VIEWS = [
  '/',
  '/o/:ontology',
  '/o/:ontology/:type',
  '/o/:ontology/:type/:key',
  '/o/:ontology/:type/:key/:link',
  '/dashboards/:ontology/:id',
  '/admin',
  '/admin/tokens',
  '/admin/clients',
]

const missingPage = (basePath: string) => `<!doctype html>
<meta charset="utf-8"><title>Object Query Service</title>
<p>The explorer could not be built; the log of the service says why. If packages are missing, run npm ci --omit=dev where the service is installed, then start it again.</p>
<p><a href="${basePath}/docs">API reference</a></p>
`

/** Returns the files, once they are built; undefined if they cannot be built here. */
export type OpenExplorer = () => Promise<ExplorerFiles | undefined>

/** Adds the explorer. Requests wait until its files are built. */
export function addExplorer(app: App, open: OpenExplorer, basePath: string): void {
  const missing = compressFile('text/html; charset=utf-8', missingPage(basePath))
  const completePage = pageCompleter(basePath)
  for (const path of VIEWS) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const page = (await open())?.get('/index.html')
      const sent = page === undefined ? missing : completePage(page)
      return sendStatic(reply, await sent, PAGE_HEADERS)
    })
  }
  for (const path of ['/assets/:name', '/favicon.svg'] as const) {
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const [name = ''] = request.url.split('?')
      const file = (await open())?.get(name)
      if (file === undefined) return reply.callNotFound()
      return sendStatic(reply, file, name.startsWith('/assets/') ? ASSET_HEADERS : {})
    })
  }
}

/**
 * Returns a function that completes the addresses in the page, which are relative in the build: the
 * same page is sent at views of any depth.
 */
function pageCompleter(basePath: string): (page: StaticFile) => Promise<StaticFile> {
  let built: StaticFile | undefined
  let completed: Promise<StaticFile> | undefined
  return (page) => {
    if (built !== page || completed === undefined) {
      built = page
      const text = Buffer.from(page.identity.bytes).toString()
      completed = compressFile(page.contentType, text.replaceAll('"./', `"${basePath}/`))
    }
    return completed
  }
}
