/** Archives of npm, made of a folder or downloaded. */
import { execFile } from 'node:child_process'
import { chmodSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Packs a folder; returns the path of the archive. npm sorts the entries and leaves out the times of
 * files, but keeps their modes, which depend on the user who made them.
 */
export function packFolder(folder: string, output: string): Promise<string> {
  for (const path of globSync('**/*', { cwd: folder })) {
    const file = join(folder, path)
    chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
  return pack(folder, output)
}

/** Downloads a published package; returns the path of its archive. */
export function downloadPackage(name: string, version: string, output: string): Promise<string> {
  return pack(`${name}@${version}`, output)
}

async function pack(folderOrPackage: string, output: string): Promise<string> {
  const args = ['pack', folderOrPackage, '--ignore-scripts', '--silent', '--pack-destination']
  const { stdout } = await promisify(execFile)('npm', [...args, output])
  return join(output, stdout.trim())
}
