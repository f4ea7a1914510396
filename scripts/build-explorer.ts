/**
 * Builds the explorer into `dist/explorer`, unless its sources are unchanged since the last build.
 * `npm run build` runs it, and so does every start of the service in a checkout.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../src/explorer', import.meta.url))
/** What the explorer is built of: the folders that it may import, and its own. */
const SOURCE_FOLDERS = ['explorer', 'contract', 'ontology', 'formats', 'client', 'transfer'].map(
  (folder) => fileURLToPath(new URL(`../src/${folder}`, import.meta.url)),
)
const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const OUTPUT = join(DIST, 'explorer')
const STAMP = 'stamp'
const DEPENDENCIES = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const SCRIPT = fileURLToPath(import.meta.url)
/** Outside of `dist`, which is published. */
const LOCK_FOLDER = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
const LOCK_WAIT_MS = 300_000

const hash = sourceHash()
if (readStamp() !== hash) {
  using _ = lockBuild()
  // Another process may have built it while this one waited.
  if (readStamp() !== hash) await buildExplorer()
}

/**
 * Waits until no other process builds: workers start at the same time, and one of them must not
 * replace the files while another reads them. The lock of a database ends with its process.
 */
function lockBuild(): Disposable {
  mkdirSync(LOCK_FOLDER, { recursive: true })
  const lock = new DatabaseSync(join(LOCK_FOLDER, 'oqs-explorer-build'), { timeout: LOCK_WAIT_MS })
  lock.exec('BEGIN EXCLUSIVE')
  return lock
}

async function buildExplorer(): Promise<void> {
  // Whatever the service runs in: Vite takes the kind of build from here.
  process.env['NODE_ENV'] = 'production'
  const [{ build }, { default: react }, { tailwind }, { cities }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('./tailwind-plugin.ts'),
    import('./cities-plugin.ts'),
  ])
  // The result appears at one moment.
  const folder = join(DIST, `explorer-${process.pid}`)
  mkdirSync(DIST, { recursive: true })
  try {
    await build({
      root: SOURCES,
      configFile: false,
      logLevel: 'error',
      plugins: [react(), tailwind(SOURCES), cities()],
      // Parts find each other wherever a proxy serves them; the service completes the page itself.
      base: './',
      build: {
        outDir: folder,
        emptyOutDir: true,
        // The policy of the page allows neither inline code nor data addresses.
        assetsInlineLimit: 0,
        // A page that is open keeps its styles, whatever happens to the service; they are small.
        cssCodeSplit: false,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          // All that the first screen needs is one file, not one for each part that shares some of it.
          output: { codeSplitting: { groups: [{ name: 'index', test: /explorer\/main\.tsx$/ }] } },
        },
      },
      // Only modules can load a part on use.
      worker: { format: 'es' },
    })
    writeFileSync(join(folder, STAMP), hash)
    publish(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Puts the build in its place. */
function publish(folder: string): void {
  rmSync(OUTPUT, { recursive: true, force: true })
  renameSync(folder, OUTPUT)
}

function readStamp(): string | undefined {
  try {
    return readFileSync(join(OUTPUT, STAMP), 'utf8')
  } catch {
    return undefined
  }
}

/** Returns a hash of everything that the build depends on. */
function sourceHash(): string {
  const files = SOURCE_FOLDERS.flatMap((folder) =>
    globSync('**/*', { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => join(parentPath, name)),
  ).toSorted()
  const sum = createHash('sha256').update(readFileSync(DEPENDENCIES)).update(readFileSync(SCRIPT))
  for (const file of files) sum.update(relative(SOURCES, file)).update(readFileSync(file))
  return sum.digest('hex')
}
