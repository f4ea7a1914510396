/**
 * Replaces `src/contract/sibling-module.ts` in the process of the tests (vitest.config.ts), so that
 * services and stores start their threads from the bundle. Most tests open a store, and a writer
 * thread takes twice as long to start from its 150 source files.
 */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleFolder } from './run-folder.ts'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))

export function siblingModule(name: string, importerUrl: string): URL {
  const source = new URL(`./${name}.ts`, importerUrl)
  const bundle = bundleFolder()
  const path = relative(SOURCE, fileURLToPath(source))
  // Threads that only tests start are not part of the bundle.
  if (bundle === undefined || path.startsWith('..')) return source
  return pathToFileURL(join(bundle, 'dist', path.replace(/\.ts$/, '.js')))
}
