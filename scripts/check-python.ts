/** Runs the published Python SDK and data frames against the service; see the help. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AVIATION } from '../test/support/ontologies.ts'
import { runOqs, startOqs, waitForLine } from '../test/support/oqs-process.ts'
import { PLACES } from '../test/support/places.ts'
import { ADMIN_TOKEN } from '../test/support/service.ts'
import { type Part, runCommand } from './measure/command.ts'
import { none } from './measure/report.ts'

const PACKAGE = 'foundry-platform-sdk'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const CERTIFICATE = pathOf('../test/support/tls/first-cert.pem')

/** Returns the Python program of the guide. */
function readGuide(): string {
  const page = readFileSync(pathOf('../docs/sdk.md'), 'utf8')
  const [, program] = /^```python\n([\s\S]*?)^```$/m.exec(page) ?? []
  if (program === undefined) throw new Error('docs/sdk.md has no Python program')
  return program
}

const sdk: Part<Record<string, never>> = {
  about: `Installs ${PACKAGE} from PyPI in a virtual environment, starts the service with TLS, and
runs scripts/check-python.py: sign-in with client credentials, metadata, lists, searches, object
sets, interfaces and actions of v1 and v2. Then it runs the example of docs/sdk.md. Needs Python 3.9
or newer with venv. Takes about a minute and 100 MB.`,
  full: {},
  stores: ['SQLite'],
  async run({ bench, texts: { venv } }) {
    const interpreter = await bench.findPython(venv, PACKAGE)
    const settings = {
      OQS_PORT: '0',
      OQS_STORE: `sqlite:${join(bench.folder, 'oqs.db')}`,
      OQS_ADMIN_TOKEN: ADMIN_TOKEN,
      OQS_TLS_CERT: CERTIFICATE,
      OQS_TLS_KEY: pathOf('../test/support/tls/first-key.pem'),
    }
    await using oqs = startOqs(['serve'], settings)
    const url = new URL(await waitForLine(oqs, 'listening on '))
    const scopes = ['--scope', 'api:ontologies-read,api:ontologies-write']
    const created = await runOqs(['client', 'create', '--name', 'python', ...scopes], settings)
    const printed = (name: string) =>
      new RegExp(`^${name} (.+)$`, 'm').exec(created.stdout)?.[1] ?? ''
    const env = {
      ...process.env,
      SERVICE_HOST: `localhost:${url.port}`,
      OQS_TOKEN: ADMIN_TOKEN,
      SERVICE_CERTIFICATE: CERTIFICATE,
      OQS_DEFINITION: JSON.stringify(AVIATION),
      OQS_PLACES: JSON.stringify(PLACES),
      OQS_CLIENT_ID: printed('client_id'),
      OQS_CLIENT_SECRET: printed('client_secret'),
      SSL_CERT_FILE: CERTIFICATE,
    }
    const passes = async (...args: string[]): Promise<boolean> => {
      const [status] = await once(spawn(interpreter, args, { stdio: 'inherit', env }), 'exit')
      return status === 0
    }
    // The example of the guide reads the objects that the checks leave.
    const isRight = (await passes(pathOf('check-python.py'))) && (await passes('-c', readGuide()))
    return [none('failed checks', isRight ? 0 : 1)]
  },
}

/** The packages that the programs of docs/python.md use. */
const FRAMES = ['duckdb', 'pandas', 'polars', 'pyarrow']

/** Returns the programs of docs/python.md, which follow each other. */
function readPrograms(): string {
  const page = readFileSync(pathOf('../docs/python.md'), 'utf8')
  const programs = [...page.matchAll(/^```python \w+\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
  if (programs.length === 0) throw new Error('docs/python.md has no Python programs')
  return programs.join('\n')
}

const frames: Part<Record<string, never>> = {
  about: `Installs ${FRAMES.join(', ')} from PyPI in a virtual environment, and runs the programs of
docs/python.md against the demo. Takes about a minute and 500 MB.`,
  full: {},
  stores: ['SQLite'],
  async run({ bench, texts: { venv } }) {
    const interpreter = await bench.findPython(venv, ...FRAMES)
    const store = `sqlite:${join(bench.folder, 'demo.db')}`
    await using oqs = startOqs(['serve', '--demo'], { OQS_PORT: '0', OQS_STORE: store })
    const url = await waitForLine(oqs, 'listening on ')
    const token = await waitForLine(oqs, 'token ')
    const env = { ...process.env, OQS_URL: url, OQS_TOKEN: token }
    const run = spawn(interpreter, ['-c', readPrograms()], { stdio: 'inherit', env })
    const [status] = await once(run, 'exit')
    return [none('failed programs', status === 0 ? 0 : 1)]
  },
}

await runCommand({
  name: 'check:python',
  about: 'Runs the published Python SDK, and data frames, against the service.',
  parts: { sdk, frames },
  texts: { 'venv=FOLDER': 'an environment that has the packages, instead of a new one' },
})
