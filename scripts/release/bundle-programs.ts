/**
 * Bundles the service: each program and thread becomes a few files instead of several hundred modules,
 * and needs no packages. The bundle has the layout of `dist` in a build, so that modules find threads
 * and other files by paths relative to themselves. Releases contain it, and tests start it.
 */
import { cpSync, globSync } from 'node:fs'
import { basename, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))

/**
 * The entry points of each program. Only entry points of one program share chunks, because a chunk
 * that threads of several kinds need is loaded by all of them.
 */
const PROGRAMS = [
  ['cli/main'],
  ['store/sqlite/threads/writer-thread'],
  ['store/sqlite/threads/checkpoint-thread'],
  ['store/sqlite/threads/reader-process-main'],
  ['store/sqlite/maintenance/check-copy'],
  [
    'service/batches/parser-thread',
    'store/sqlite/changes/change-encoder',
    'store/postgres/writes/change-encoder',
    'store/columns/load/load-columns',
  ],
  ['service/exports/table-thread'],
  ['store/columns/process/columns-process-main'],
  ['store/columns/process/compute-thread'],
  ['store/columns/process/build-thread'],
]

export interface BundleOptions {
  /** Whether to remove white space. Names stay in any case, so that errors can be read. */
  readonly isShort?: boolean
}

/** Writes the bundle to a folder, which becomes a `dist`. */
export async function bundlePrograms(
  output: string,
  { isShort = false }: BundleOptions = {},
): Promise<void> {
  for (const entries of PROGRAMS) {
    const build = await rolldown({
      input: Object.fromEntries(entries.map((entry) => [entry, join(SOURCE, `${entry}.ts`)])),
      platform: 'node',
      plugins: [SOURCE_URLS, BUILTINS],
    })
    const chunks = `chunks/${basename(entries[0] ?? '')}`
    const short = { compress: false, mangle: false, codegen: { removeWhitespace: true } }
    await build.write({
      dir: output,
      entryFileNames: '[name].js',
      chunkFileNames: `${chunks}/[name]-[hash].js`,
      minify: isShort && short,
    })
    await build.close()
  }
  for (const file of globSync('store/**/*.sql', { cwd: SOURCE })) {
    cpSync(join(SOURCE, file), join(output, file))
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

const MODULE_PATH = /__modulePath\("([^"]+)"\)/g
/** A package that another one depends on, loaded when it is needed. */
const LAZY_REQUIRE = /createRequire\(createRequire\(import\.meta\.url\)\.resolve\('[^']+'\)\)/g

/**
 * Keeps the address of each module relative to the bundle: in a chunk, `import.meta` would be that of
 * the chunk.
 */
const SOURCE_URLS: Plugin = {
  name: 'source-urls',
  transform(code, id) {
    if (!id.startsWith(SOURCE) || !code.includes('import.meta.')) return null
    const path = relative(SOURCE, id).replaceAll(sep, '/').replace(/\.ts$/, '.js')
    return code
      .replaceAll(LAZY_REQUIRE, 'require')
      .replaceAll('import.meta.url', `new URL(__modulePath("${path}"), import.meta.url).href`)
  },
  renderChunk: (code, { fileName }) =>
    code.replaceAll(MODULE_PATH, (_, path: string) =>
      JSON.stringify(`./${posix.relative(posix.dirname(fileName), path)}`),
    ),
}
