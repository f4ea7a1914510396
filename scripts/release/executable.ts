/** One executable file: Node.js, a launcher, and the files of the service, which it unpacks. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'postject'
import { rolldown } from 'rolldown'
import { FLAGS } from '../../bin/node-flags.js'
import type { Manifest } from './launcher/unpack.ts'

const LAUNCHER = fileURLToPath(new URL('launcher/main.ts', import.meta.url))
const BLOB_NAME = 'NODE_SEA_BLOB'
/** A text in Node.js that ends in 0, and in 1 when a program was added. */
export const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Loads a program by its path. */
const IMPORT = `const { pathToFileURL } = require('node:url')
module.exports = (path) => import(pathToFileURL(path).href)
`

/** Makes the program for all systems of the files in a folder. `work` holds what is needed meanwhile. */
export async function makeBlob(folder: string, work: string): Promise<Buffer> {
  writeFileSync(join(folder, 'import.cjs'), IMPORT)
  const paths = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted()
  writeFileSync(join(work, 'manifest.json'), JSON.stringify(describeFiles(folder, paths)))
  await bundleLauncher(join(work, 'launcher.cjs'))
  const config = {
    main: 'launcher.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    execArgv: FLAGS,
    // Child processes get more flags in an argument.
    execArgvExtension: 'cli',
    assets: {
      'manifest.json': 'manifest.json',
      ...Object.fromEntries(paths.map((path) => [path, join(folder, path)])),
    },
  }
  writeFileSync(join(work, 'config.json'), JSON.stringify(config))
  const args = ['--experimental-sea-config', 'config.json']
  await promisify(execFile)(process.execPath, args, { cwd: work })
  return readFileSync(join(work, 'blob'))
}

/** Adds the program to a copy of Node.js. */
export async function makeExecutable(node: string, blob: Buffer, file: string): Promise<void> {
  copyFileSync(node, file)
  chmodSync(file, 0o755)
  await inject(file, BLOB_NAME, blob, { sentinelFuse: FUSE })
}

function describeFiles(folder: string, paths: readonly string[]): Manifest {
  const sum = createHash('sha256')
  const files: Record<string, number> = {}
  for (const path of paths) {
    const content = readFileSync(join(folder, path))
    sum.update(`${path}\0${content.length}\0`).update(content)
    files[path] = content.length
  }
  return { name: sum.digest('hex').slice(0, 32), files }
}

async function bundleLauncher(file: string): Promise<void> {
  const build = await rolldown({ input: LAUNCHER, platform: 'node' })
  await build.write({ file, format: 'cjs' })
  await build.close()
}
