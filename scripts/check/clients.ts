/** Lints `openapi.json`, generates clients from it, and calls the service with them. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NUMBERS } from '../../test/support/ontologies.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Part } from '../measure/command.ts'
import { readBody } from '../measure/connection.ts'
import { define } from '../measure/parts.ts'
import { none } from '../measure/report.ts'

const run = promisify(execFile)

/** What npm installs for this command only: together 150 MB. hey-api needs the older compiler. */
const TOOLS = [
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3',
  'esbuild@0.27.0',
]
const PYTHON_GENERATOR = 'openapi-python-client==0.29.1'

/** Each program writes two objects, lists them, searches and loads a set, and prints the counts. */
const EXPECTED = '2 2 1 1'

const COMMON = `
const { OQS_URL: baseUrl, OQS_TOKEN: token } = process.env
const lines = '{"put": {"n": 1}}\\n{"put": {"n": 2}}'
const type = { ontology: 'numbers', objectType: 'number' }
const where = { type: 'eq', field: 'n', value: 1 } as const
const objectSet = { type: 'filter', objectSet: { type: 'base', objectType: 'number' }, where } as const
`

const OPENAPI_FETCH = `
import createClient from 'openapi-fetch'
import type { paths } from './schema'
${COMMON}
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } })
const written = await client.POST('/api/admin/v1/ontologies/{ontology}/objects/{objectType}', {
  params: { path: type }, body: lines, bodySerializer: (body) => body,
  headers: { 'content-type': 'application/x-ndjson' },
})
const path = { params: { path: type } }
const listed = await client.GET('/api/v1/ontologies/{ontology}/objects/{objectType}', path)
const search = '/api/v2/ontologies/{ontology}/objects/{objectType}/search'
const found = await client.POST(search, { ...path, body: { where } })
const load = '/api/v2/ontologies/{ontology}/objectSets/loadObjects'
const loaded = await client.POST(load, { params: { path: type }, body: { objectSet } })
console.log(written.data?.put, listed.data?.data.length, found.data?.data.length, loaded.data?.data.length)
`

const HEY_API = `
import { client } from './hey/client.gen'
import { listObjects, loadObjects, searchObjectsV2, writeObjects } from './hey/sdk.gen'
${COMMON}
client.setConfig({ baseUrl, auth: token })
const bodySerializer = (body: unknown) => body as string
const written = await writeObjects({ path: type, body: lines, bodySerializer })
const listed = await listObjects({ path: type })
const found = await searchObjectsV2({ path: type, body: { where } })
const loaded = await loadObjects({ path: type, body: { objectSet } })
console.log(written.data?.put, listed.data?.data.length, found.data?.data.length, loaded.data?.data.length)
`

const PYTHON = `
import io, os
from client import AuthenticatedClient
from client.api.administration import write_objects
from client.api.revision_1_0 import list_objects
from client.api.v2 import load_objects, search_objects_v2
from client.models import LoadObjectsBody, SearchObjectsV2Request
from client.types import File

service = AuthenticatedClient(base_url=os.environ["OQS_URL"], token=os.environ["OQS_TOKEN"])
lines = File(payload=io.BytesIO(b'{"put": {"n": 1}}\\n{"put": {"n": 2}}'))
where = {"type": "eq", "field": "n", "value": 1}
set_of = {"type": "filter", "objectSet": {"type": "base", "objectType": "number"}, "where": where}
written = write_objects.sync("numbers", "number", client=service, body=lines)
listed = list_objects.sync("numbers", "number", client=service)
found = search_objects_v2.sync(
    "numbers", "number", client=service, body=SearchObjectsV2Request.from_dict({"where": where})
)
loaded = load_objects.sync(
    "numbers", client=service, body=LoadObjectsBody.from_dict({"objectSet": set_of})
)
print(written.put, len(listed.data), len(found.data), len(loaded.data))
`

export const clients: Part<Record<string, never>> = {
  about: `Installs ${TOOLS.join(', ')} from npm, and
${PYTHON_GENERATOR} from PyPI. Lints openapi.json with Redocly and Spectral, then generates
three clients, and writes, lists, searches and loads objects with them. Needs Python 3.10 or newer with
venv. Takes about a minute.`,
  full: {},
  stores: ['SQLite'],
  async run({ bench, texts: { venv } }) {
    const { folder } = bench
    const service = await bench.startService()
    await define(service, NUMBERS)
    const document = join(folder, 'openapi.json')
    writeFileSync(document, await readBody(service, { method: 'GET', path: '/openapi.json' }))
    const env = { ...process.env, OQS_URL: service.url.origin, OQS_TOKEN: ADMIN_TOKEN }
    const call = async (program: string, ...args: string[]) =>
      (await run(program, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
    const callTool = (tool: string, ...args: string[]) =>
      call(join(folder, 'node_modules/.bin', tool), ...args)

    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    await call('npm', 'install', '--no-audit', '--no-fund', ...TOOLS)
    const { totals } = JSON.parse(await callTool('redocly', 'lint', document, '--format=json'))
    writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
    const spectral = await callTool('spectral', 'lint', document, '--fail-severity=hint', '-q')

    await callTool('openapi-typescript', document, '-o', 'schema.ts')
    await callTool('openapi-ts', '-i', document, '-o', 'hey')
    const printed: string[] = []
    for (const [name, program] of Object.entries({ fetch: OPENAPI_FETCH, hey: HEY_API })) {
      const [source, output] = [`use-${name}.ts`, `${name}.js`]
      writeFileSync(join(folder, source), program)
      const target = ['--platform=node', '--format=esm', `--outfile=${output}`]
      await callTool('esbuild', source, '--bundle', ...target)
      printed.push(await call(process.execPath, output))
    }
    const python = await bench.findPython(venv, PYTHON_GENERATOR)
    const generate = ['-m', 'openapi_python_client', 'generate', '--path', document]
    await call(python, ...generate, '--output-path', 'client', '--meta', 'none')
    printed.push(await call(python, '-c', PYTHON))
    return [
      none('warnings of Redocly', totals.errors + totals.warnings),
      none('lines of Spectral', spectral === '' ? 0 : spectral.split('\n').length),
      none('clients that fail', printed.filter((counts) => counts !== EXPECTED).length),
    ]
  },
}
