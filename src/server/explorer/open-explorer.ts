/** Finds the files of the explorer; in a checkout, builds them first. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExplorerFiles, OpenExplorer } from '../../http/explorer/serve-explorer.ts'
import { compressFile, type StaticFile } from '../../http/response/static-file.ts'

const ROOT = new URL('../../../', import.meta.url)
/** Present in a checkout, absent in a package. */
const BUILD_SCRIPT = fileURLToPath(new URL('scripts/build-explorer.ts', ROOT))
const FOLDER = fileURLToPath(new URL('dist/explorer', ROOT))

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}

/** Returns a function that finds the files when it is first called, and remembers them. */
export function explorerOpener(): OpenExplorer {
  let files: Promise<ExplorerFiles | undefined> | undefined
  return () => {
    files ??= openExplorer()
    return files
  }
}

async function openExplorer(): Promise<ExplorerFiles | undefined> {
  if (existsSync(BUILD_SCRIPT) && !(await buildExplorer())) return undefined
  const paths = globSync('**/*.*', { cwd: FOLDER })
  if (!paths.includes('index.html')) return undefined
  const files = new Map<string, StaticFile>()
  for (const path of paths) {
    const contentType = CONTENT_TYPES[extname(path)]
    if (contentType === undefined) continue
    files.set(`/${path}`, await compressFile(contentType, await readFile(join(FOLDER, path))))
  }
  return files
}

/** Runs the build as a process of its own; returns whether it succeeded. */
async function buildExplorer(): Promise<boolean> {
  const child = spawn(process.execPath, [BUILD_SCRIPT], { stdio: 'ignore' })
  // The service may stop before the build ends.
  child.unref()
  const [status] = await once(child, 'exit').catch(() => [1])
  return status === 0
}
