/** Calls of npm that need no checkout. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Packs a folder, or downloads a published package; returns the path of the archive. npm sorts the
 * entries of an archive and leaves out the times of files.
 */
export async function pack(folderOrPackage: string, output: string): Promise<string> {
  const args = ['pack', folderOrPackage, '--ignore-scripts', '--silent', '--pack-destination']
  const { stdout } = await promisify(execFile)('npm', [...args, output])
  return join(output, stdout.trim())
}
