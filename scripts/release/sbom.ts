/** The bill of materials: every package that the service needs at run time. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** Production dependencies of the service, from the lock file. */
const OPTIONS = [
  ...['--sbom-format', 'cyclonedx', '--package-lock-only', '--workspaces=false'],
  ...['--omit', 'dev', '--omit', 'peer'],
]
const MAX_BYTES = 16 * 1024 * 1024

/** Writes it with the time of the commit, and with a serial number that follows from its content. */
export async function writeSbom(file: string, time: Date): Promise<void> {
  const { stdout } = await promisify(execFile)('npm', ['sbom', ...OPTIONS], {
    maxBuffer: MAX_BYTES,
  })
  const sbom = JSON.parse(stdout)
  sbom.metadata.timestamp = time.toISOString()
  // npm writes the name of the folder, and its own version.
  sbom.metadata.component.name = 'object-query-service'
  delete sbom.metadata.tools
  delete sbom.serialNumber
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(sbom))}`
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
}

/** Returns a UUID of version 8: its bits are those of a hash. */
function uuidOf(text: string): string {
  const hex = hash('sha256', text)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}
