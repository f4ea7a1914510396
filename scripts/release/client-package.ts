/** The package of the client: its modules and their types, and nothing else. */
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const SOURCE = join(ROOT, 'src/client')
const ENTRY = 'client/index'
const IMPORT = /(?:from|import\()\s*['"](\.[^'"]+)\.[jt]s['"]/g

/** Lays out the package in a folder. `work` holds the build meanwhile. */
export async function layOutClient(folder: string, work: string): Promise<void> {
  const config = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: join(ROOT, 'src'),
      outDir: work,
      sourceMap: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    files: [join(SOURCE, 'index.ts')],
    include: [],
  }
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config))
  await promisify(execFile)(process.execPath, [COMPILER, '-p', work])
  for (const path of reachedFiles(work)) cpSync(join(work, path), join(folder, path))
  cpSync(join(SOURCE, 'README.md'), join(folder, 'README.md'))
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'))
  const entry = { types: `./${ENTRY}.d.ts`, default: `./${ENTRY}.js` }
  const published = { ...manifest, exports: { ...manifest.exports, '.': entry } }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** Returns the files that the entry imports, for Node.js and for the compiler. */
function reachedFiles(build: string): Set<string> {
  const reached = new Set<string>()
  const visit = (path: string, ending: string): void => {
    const file = `${path}${ending}`
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(build, file), 'utf8')
    for (const [, name = ''] of text.matchAll(IMPORT)) visit(join(path, '..', name), ending)
  }
  for (const ending of ['.js', '.d.ts']) visit(ENTRY, ending)
  return reached
}
