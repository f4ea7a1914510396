/** Runs the published Python SDK and data frames against the service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../src/server/config.ts'
import { AVIATION } from '../../test/support/ontologies.ts'
import { runOqs, startOqs, waitForLine } from '../../test/support/oqs-process.ts'
import { PLACES } from '../../test/support/places.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { none } from '../measure/report.ts'

const SDK = 'foundry-platform-sdk'
/** The packages that the programs of docs/how-to/python.md use. */
const FRAMES = ['duckdb', 'pandas', 'polars', 'pyarrow']

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const CERTIFICATE = pathOf('../../test/support/tls/first-cert.pem')
const KEY = pathOf('../../test/support/tls/first-key.pem')

/** Returns the Python programs of a page, which follow each other. */
function readPrograms(page: string): string {
  const text = readFileSync(pathOf(`../../docs/${page}`), 'utf8')
  const programs = [...text.matchAll(/^```python.*\n([\s\S]*?)^```$/gm)].map(([, each]) => each)
  if (programs.length === 0) throw new Error(`docs/${page} has no Python programs`)
  return programs.join('\n')
}

/** Returns true if Python succeeds with these arguments. */
async function passes(python: string, args: readonly string[], env: Environment) {
  const child = spawn(python, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return (await once(child, 'exit'))[0] === 0
}

export const python: Part<Record<string, never>> = {
  about: `Installs ${SDK} from PyPI in a virtual environment, starts the service with TLS, and
runs scripts/check/sdk.py: sign-in with client credentials, metadata, lists, searches, object sets,
interfaces and actions of v1 and v2. Then it runs the example of docs/how-to/sdk.md. Needs Python 3.9 or newer
with venv. Takes about a minute and 100 MB.`,
  full: {},
  stores: ['SQLite'],
  async run({ bench, texts: { venv } }) {
    const interpreter = await bench.findPython(venv, SDK)
    const settings = {
      OQS_PORT: '0',
      OQS_STORE: `sqlite:${join(bench.folder, 'oqs.db')}`,
      OQS_ADMIN_TOKEN: ADMIN_TOKEN,
      OQS_TLS_CERT: CERTIFICATE,
      OQS_TLS_KEY: KEY,
    }
    await using oqs = startOqs(['serve'], settings)
    const url = new URL(await waitForLine(oqs, 'listening on '))
    const scopes = ['--scope', 'api:ontologies-read,api:ontologies-write']
    const created = await runOqs(['client', 'create', '--name', 'python', ...scopes], settings)
    const printed = (name: string) =>
      new RegExp(`^${name} (.+)$`, 'm').exec(created.stdout)?.[1] ?? ''
    const env = {
      SERVICE_HOST: `localhost:${url.port}`,
      OQS_TOKEN: ADMIN_TOKEN,
      SERVICE_CERTIFICATE: CERTIFICATE,
      OQS_DEFINITION: JSON.stringify(AVIATION),
      OQS_PLACES: JSON.stringify(PLACES),
      OQS_CLIENT_ID: printed('client_id'),
      OQS_CLIENT_SECRET: printed('client_secret'),
      SSL_CERT_FILE: CERTIFICATE,
    }
    // The example of the guide reads the objects that the checks leave.
    const isRight =
      (await passes(interpreter, [pathOf('sdk.py')], env)) &&
      (await passes(interpreter, ['-c', readPrograms('how-to/sdk.md')], env))
    return [none('failed checks', isRight ? 0 : 1)]
  },
}

export const frames: Part<Record<string, never>> = {
  about: `Installs ${FRAMES.join(', ')} from PyPI in a virtual environment, and runs the programs of
docs/how-to/python.md against the demo. Takes about a minute and 500 MB.`,
  full: {},
  stores: ['SQLite'],
  async run({ bench, texts: { venv } }) {
    const interpreter = await bench.findPython(venv, ...FRAMES)
    const store = `sqlite:${join(bench.folder, 'demo.db')}`
    await using oqs = startOqs(['serve', '--demo'], { OQS_PORT: '0', OQS_STORE: store })
    const url = await waitForLine(oqs, 'listening on ')
    const token = await waitForLine(oqs, 'token ')
    const env = { OQS_URL: url, OQS_TOKEN: token }
    const isRight = await passes(interpreter, ['-c', readPrograms('how-to/python.md')], env)
    return [none('failed programs', isRight ? 0 : 1)]
  },
}
