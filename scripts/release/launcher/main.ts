/**
 * The program inside of the executable. It unpacks the files of the service, which load each other from
 * the disk: programs, threads, migrations, the explorer. Child processes of the service are started
 * with the path of their program, as with Node.js.
 */
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { cacheFolder, type Manifest, unpack } from './unpack.ts'

/** The files that exist only in an executable; `executable.ts` writes them. */
const MANIFEST = 'manifest.json'
const IMPORT = 'import.cjs'

try {
  const manifest: Manifest = JSON.parse(getAsset(MANIFEST, 'utf8'))
  const folder = unpack(cacheFolder(), manifest, (path) => new Uint8Array(getRawAsset(path)))
  process.argv = [process.execPath, ...programAndArgs(folder)]
  // In the executable itself, `import()` finds only the modules of Node.js.
  createRequire(join(folder, IMPORT))(`./${IMPORT}`)(process.argv[1])
} catch (error) {
  process.stderr.write(`oqs: ${(error as Error).message}\n`)
  process.exitCode = 1
}

function programAndArgs(folder: string): string[] {
  const args = process.argv.slice(2)
  // Flags of Node.js come first. They are part of the executable, or it has already read them.
  const first = args.findIndex((arg) => !arg.startsWith('--'))
  const isChild = args[first]?.startsWith(`${folder}${sep}`)
  return isChild ? args.slice(first) : [join(folder, 'bin', 'oqs.js'), ...args]
}
