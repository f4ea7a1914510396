/**
 * Bundles the service for a test run: each program and thread becomes a few files instead of
 * several hundred modules, so it starts in about half the CPU time. The bundle has the layout of an
 * installed package, with `bin/oqs.js` as its command.
 */
import { cpSync, globSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src')

/**
 * The entry points of each program. Only entry points of one program share chunks, because a chunk
 * that threads of several kinds need is loaded by all of them.
 */
const PROGRAMS = [
  ['cli/main'],
  ['store/sqlite/threads/writer-thread'],
  ['store/sqlite/threads/checkpoint-thread'],
  ['store/sqlite/threads/reader-process-main'],
  ['store/sqlite/file/check-copy'],
  [
    'service/batches/parser-thread',
    'store/sqlite/changes/change-encoder',
    'store/postgres/writes/change-encoder',
  ],
  ['http/openapi/reference-script-thread'],
  ['store/columns/process/columns-process-main'],
  ['store/columns/process/compute-thread'],
  ['store/columns/process/build-thread'],
]

/** Finds its files by its own path. */
const EXTERNAL = ['@scalar/fastify-api-reference']

/** Writes the bundle to a folder. */
export async function bundleService(folder: string): Promise<void> {
  const output = join(folder, 'dist')
  for (const entries of PROGRAMS) {
    const build = await rolldown({
      input: Object.fromEntries(entries.map((entry) => [entry, join(SOURCE, `${entry}.ts`)])),
      platform: 'node',
      external: EXTERNAL,
      plugins: [sourceUrls(output), BUILTINS],
    })
    const chunks = `chunks/${basename(entries[0] ?? '')}`
    await build.write({
      dir: output,
      entryFileNames: '[name].js',
      chunkFileNames: `${chunks}/[name]-[hash].js`,
      // Only shorter: names stay, so that errors can be read.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    })
    await build.close()
  }
}

/** Adds what the service finds by paths relative to its modules. */
export function layOutPackage(folder: string): void {
  mkdirSync(join(folder, 'dist'), { recursive: true })
  for (const file of ['package.json', 'bin/oqs.js']) cpSync(join(ROOT, file), join(folder, file))
  for (const file of globSync('store/**/*.sql', { cwd: SOURCE })) {
    cpSync(join(SOURCE, file), join(folder, 'dist', file))
  }
  // The explorer is built on use, as in a checkout.
  for (const name of ['node_modules', 'scripts', 'dist/explorer']) {
    symlinkSync(join(ROOT, name), join(folder, name))
  }
}

const BUILTIN_IMPORT = /^import (?:\* as )?(\w+|\{[^}]*\}) from "(node:[\w/]+)";$/gm

/**
 * Gets the modules of Node.js without `import`, which reads every export of them: reading those of
 * `node:http` loads a WebSocket client, and takes a tenth of the start of the service.
 */
const BUILTINS: Plugin = {
  name: 'builtins',
  renderChunk: (code) =>
    code.replaceAll(BUILTIN_IMPORT, (_, names: string, module: string) => {
      const variables = names.replaceAll(' as ', ': ')
      return `const ${variables} = globalThis.process.getBuiltinModule("${module}");`
    }),
}

/** Keeps the address of each module: in a chunk, `import.meta` would be that of the chunk. */
function sourceUrls(output: string): Plugin {
  return {
    name: 'source-urls',
    transform(code, id) {
      if (!id.startsWith(SOURCE) || !code.includes('import.meta.')) return null
      const path = join(output, relative(SOURCE, id).replace(/\.ts$/, '.js'))
      return code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    },
  }
}
