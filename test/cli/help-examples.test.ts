import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import type { Environment } from '../../src/server/config.ts'
import { createClient } from '../support/oauth.ts'
import { type Finished, RELEASED_OQS } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { airportsCsv, loadAviation, SMALL_AVIATION } from './aviation.ts'
import { pathWithOqs, runLine } from './shell.ts'

/** Examples that start a service and do not end; test/e2e covers them. */
const SERVING = ['oqs serve --demo', 'OQS_PORT=9090 oqs serve']
/** Examples that need a change in the background; ontology-change.test.ts runs them. */
const FOLLOWING = ['', ' --wait', ' --cancel'].map(
  (option) => `oqs ontology change aviation${option}`,
)
/** Examples that need a database to copy; sync.test.ts covers them. */
const SHOP = 'oqs sync postgres://app@db.example/shop'
const SYNCING = [
  `${SHOP} --table public.orders --ontology shop --type order`,
  `${SHOP} --tables 'public.*' --ontology shop --once`,
  `${SHOP} --tables 'public.*' --ontology shop --drop-slot`,
]
/** Examples that follow changes until they are stopped; mirror.test.ts and follow.test.ts run such. */
const ENDLESS = [
  'oqs follow --ontology aviation --type airport',
  'oqs mirror --ontology aviation --type airport --to airports.db',
  'oqs mirror --ontology aviation --type airport --to postgres://reports@localhost/reports --table airports',
]
/** An example with another address. */
const ELSEWHERE = ['oqs mcp --url https://objects.example']
/** Examples that read messages until their input ends; mcp.test.ts runs such. */
const SPEAKING = ['oqs mcp']
const NOT_RUN = [...SERVING, ...FOLLOWING, ...SYNCING, ...ENDLESS, ...SPEAKING, ...ELSEWHERE]

interface HelpOfCommand {
  /** Such as `oqs token create`. */
  readonly name: string
  readonly examples: readonly string[]
}

function helpOf(command: Command, parents = ''): HelpOfCommand[] {
  const name = `${parents} ${command.name()}`.trim()
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  const examples = [...text.matchAll(/^ {2}((?:[A-Z_]+=\S+ |.+ \| )?oqs .+)$/gm)].map(
    ([, line]) => line,
  )
  return [
    { name, examples: examples.map(String) },
    ...command
      .createHelp()
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .flatMap((child) => helpOf(child, name)),
  ]
}

const commands = helpOf(await buildProgram())

/** The command that shows an example first: each example is run once. */
const firstShownBy = new Map(
  commands
    .flatMap(({ name, examples }) => examples.map((line) => [line, name] as const))
    .toReversed(),
)

/** What the examples delete. */
const SENSORS = {
  objectTypes: [
    { apiName: 'sensor', primaryKey: 'id', properties: { id: { type: 'string' as const } } },
  ],
}

const POLICY = {
  name: 'sales',
  rights: [{ ontology: 'aviation', objectType: 'airport', access: 'read' }],
}

let folder: TempFolder
let service: Service
let environment: Environment

beforeAll(async () => {
  folder = tempFolder()
  const store = `sqlite:${join(folder.path, 'oqs.db')}`
  service = await startService({ store })
  await loadAviation(service)
  for (const apiName of ['sandbox', 'scratch']) {
    await service.apply({ ...SENSORS, apiName })
    await service.put(apiName, 'sensor', [{ id: 'a' }])
  }
  await service.createToken({ name: 'ci' })
  await createClient(service, { name: 'nightly' })
  for (const name of ['sales', 'interns']) {
    const path = `/api/admin/v1/policies/${name}`
    await service.send(path, { method: 'PUT', json: { rights: POLICY.rights } })
  }
  environment = {
    PATH: pathWithOqs(folder.path),
    OQS_URL: service.url,
    OQS_TOKEN: ADMIN_TOKEN,
    OQS_STORE: store,
    XDG_CONFIG_HOME: join(folder.path, 'config'),
  }
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

describe('the help of every command', () => {
  it('has examples', () => {
    expect(commands.filter(({ examples }) => examples.length === 0)).toEqual([])
    expect(commands.length).toBeGreaterThan(10)
  })

  it('still has the examples that are not run', () => {
    const all = commands.flatMap(({ examples }) => examples)
    expect(NOT_RUN.filter((line) => !all.includes(line))).toEqual([])
  })
})

/** Runs an example in bash if it needs a shell, else in this process, which is faster. */
async function runExample(line: string, cwd: string): Promise<Finished> {
  const needsShell = !line.startsWith('oqs ') || /[|<>$;&]/.test(line)
  if (needsShell || RELEASED_OQS !== undefined) return runLine(line, cwd, environment)
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', `oqs() { printf '%s\\0' "$@"; }; ${line}`],
    { cwd },
  )
  const { PATH: _, ...settings } = environment
  const outer = process.cwd()
  process.chdir(cwd)
  try {
    return await runCommand(stdout.split('\0').slice(0, -1), settings)
  } finally {
    process.chdir(outer)
  }
}

describe('the examples in the help of', () => {
  for (const { name, examples } of commands) {
    const lines = examples.filter(
      (line) => !NOT_RUN.includes(line) && firstShownBy.get(line) === name,
    )
    if (lines.length === 0) continue
    it(name, async () => {
      const cwd = join(folder.path, name.replaceAll(' ', '-'))
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'aviation.json'), JSON.stringify(SMALL_AVIATION))
      mkdirSync(join(cwd, 'definitions'))
      writeFileSync(join(cwd, 'definitions/aviation.json'), JSON.stringify(SMALL_AVIATION))
      writeFileSync(join(cwd, 'airports.csv'), airportsCsv())
      writeFileSync(join(cwd, 'elevations.csv'), 'iata,runwayFeet\nAAA,4900\n')
      writeFileSync(join(cwd, 'sales.json'), JSON.stringify(POLICY))
      writeFileSync(join(cwd, 'prod.token'), ADMIN_TOKEN)
      for (const line of lines) {
        const { code, stderr } = await runExample(line, cwd)
        expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
        expect(stderr).not.toContain('error')
      }
    })
  }
})
