/**
 * Makes a release of the commit that is checked out, into the folder `release`. Two runs give the same
 * bytes: every file depends on the commit and on the lock file only.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chosenNames } from './measure/command.ts'
import { checkExecutable } from './release/check-executable.ts'
import { layOutClient } from './release/client-package.ts'
import { makeBlob, makeExecutable } from './release/executable.ts'
import { downloadNode, type System } from './release/node-binary.ts'
import { packFolder } from './release/pack.ts'
import { writeSbom } from './release/sbom.ts'
import { addDemoData, layOutService } from './release/service-package.ts'

const OUTPUT = resolve('release')
const CHECKSUMS = 'SHA256SUMS'
const SYSTEMS: readonly System[] = ['linux-arm64', 'linux-x64', 'win-x64']
const PARTS = ['service', 'client', ...SYSTEMS, 'sbom']

const HELP = `npm run release [-- OPTIONS]

Makes the files of a release into the folder "release": the packages of the service and the client, one
executable file for each system, the bill of materials and ${CHECKSUMS}.

  --only PARTS   only these, separated by commas: ${PARTS.join(', ')}
  --dirty        even if there are changes that are not committed`

const { values } = parseArgs({
  options: { only: { type: 'string' }, dirty: { type: 'boolean' }, help: { type: 'boolean' } },
})
if (values.help) console.log(HELP)
else {
  try {
    await makeRelease(chosenNames('--only', values.only, PARTS) ?? PARTS)
  } catch (error) {
    console.error(`release: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

async function makeRelease(parts: readonly string[]): Promise<void> {
  if (!values.dirty && git('status', '--porcelain') !== '')
    throw new Error(
      'there are changes that are not committed. Commit them, or pass --dirty to try.',
    )
  const time = new Date(
    1000 * Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct')),
  )
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT)
  const work = mkdtempSync(join(tmpdir(), 'oqs-release-'))
  try {
    const newFolder = (name: string) => mkdtempSync(join(work, `${name}-`))
    const systems = SYSTEMS.filter((system) => parts.includes(system))
    if (parts.includes('service') || systems.length > 0) {
      const service = newFolder('service')
      await layOutService(service)
      if (parts.includes('service')) await packFolder(service, OUTPUT)
      if (systems.length > 0) {
        addDemoData(service)
        const blob = await makeBlob(service, newFolder('blob'))
        for (const system of systems) {
          const node = await downloadNode(system, newFolder('node'))
          const file = `oqs-${system}${system.startsWith('win') ? '.exe' : ''}`
          await makeExecutable(node, blob, join(OUTPUT, file))
          checkExecutable(join(OUTPUT, file), system, blob)
        }
      }
    }
    if (parts.includes('client')) {
      const client = newFolder('client')
      await layOutClient(client, newFolder('build'))
      await packFolder(client, OUTPUT)
    }
    if (parts.includes('sbom')) await writeSbom(join(OUTPUT, 'sbom.cdx.json'), time)
    finish(time)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Adds the checksums, and gives every file the time of the commit. */
function finish(time: Date): void {
  const names = readdirSync(OUTPUT).toSorted()
  const lines = names.map(
    (name) => `${hash('sha256', readFileSync(join(OUTPUT, name)))}  ${name}\n`,
  )
  writeFileSync(join(OUTPUT, CHECKSUMS), lines.join(''))
  for (const name of [...names, CHECKSUMS]) utimesSync(join(OUTPUT, name), time, time)
  process.stdout.write(lines.join(''))
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}
