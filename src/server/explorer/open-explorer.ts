/** Finds the files of the explorer; in a checkout, builds them first. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { ExplorerFiles, OpenExplorer } from '../../http/explorer/serve-explorer.ts'
import { compressFile, type StaticFile } from '../../http/response/static-file.ts'
import type { Log } from '../log.ts'

const ROOT = new URL('../../../', import.meta.url)
/** Present in a checkout, absent in a package. */
const BUILD_SCRIPT = fileURLToPath(new URL('scripts/build-explorer.ts', ROOT))
const FOLDER = fileURLToPath(new URL('dist/explorer', ROOT))

/** The lines of a failed build that are logged. */
const REASON_LINES = 20

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
}

/** Returns a function that finds the files when it is first called, and remembers them. */
export function explorerOpener(log: Log): OpenExplorer {
  let files: Promise<ExplorerFiles | undefined> | undefined
  return () => {
    files ??= openExplorer(log).catch((error: unknown) => {
      // Another process may have replaced the folder while it was read: the next call reads again.
      files = undefined
      throw error
    })
    return files
  }
}

async function openExplorer(log: Log): Promise<ExplorerFiles | undefined> {
  if (existsSync(BUILD_SCRIPT)) {
    const reason = await buildExplorer()
    if (reason !== undefined) {
      log({ event: 'explorerNotBuilt', reason })
      return undefined
    }
  }
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

/** Runs the build as a process of its own; returns why it failed, or undefined if it succeeded. */
async function buildExplorer(): Promise<string | undefined> {
  const child = spawn(process.execPath, [BUILD_SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] })
  // The service may stop before the build ends.
  child.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
  try {
    const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    if (status === 0) return undefined
    const lines = stripVTControlCharacters(errors).trimEnd().split('\n')
    return lines.slice(-REASON_LINES).join('\n')
  } catch (error) {
    return (error as Error).message
  }
}
