/**
 * The Chromium of an npm package, with the libraries and fonts that it needs, so that the tests of
 * the explorer run on a machine without a browser. It is unpacked once, beside the package.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = '@sparticuz/chromium'
const UNPACK = `import(${JSON.stringify(PACKAGE)}).then((one) => one.default.executablePath())`

export interface BrowserProgram {
  readonly executablePath: string
  /** Variables by which the program finds its libraries and fonts. */
  readonly env: Readonly<Record<string, string>>
}

/** Returns the program, or undefined if the package has none for this system. */
export function packagedChromium(): BrowserProgram | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const root = dirname(dirname(fileURLToPath(import.meta.resolve(PACKAGE))))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = join(root, `unpacked-${version}`)
  if (!existsSync(folder)) unpackTo(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: fontsOf(folder) },
  }
}

/** The configuration of the package looks for fonts elsewhere, and without any, Chromium ends. */
function fontsOf(folder: string): string {
  const file = join(folder, 'fonts.conf')
  const fonts = join(folder, 'fonts', 'fonts')
  const cache = join(folder, 'fonts-cache')
  const config = `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`
  if (!existsSync(file)) writeFileSync(file, config)
  return file
}

/** The package unpacks into the temporary folder, and its libraries only on the system it is for. */
function unpackTo(folder: string): void {
  const part = mkdtempSync(`${folder}-`)
  execFileSync(process.execPath, ['-e', UNPACK], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...process.env, TMPDIR: part, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  try {
    renameSync(part, folder)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error
    rmSync(part, { recursive: true })
  }
}
