import type { Command } from 'commander'
import { addExamples } from '../examples.ts'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { tell } from '../output.ts'
import { formatBytes, type Progress, startProcessProgress } from '../progress.ts'

interface BackupCommandOptions {
  readonly force?: true
}

/** A copy of the store that `OQS_STORE` names, taken while a service uses it, or not. */
export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .description('Copy a SQLite store, as it is at one point in time; the service may run.')
    .argument('<file>', 'the file to write')
    .option('--force', 'replace the file if it exists')
  addExamples(command, 'oqs backup backup.db', 'oqs backup --force backup.db').action(
    (file: string, { force }: BackupCommandOptions) =>
      untilInterrupted((signal) => backupTo(file, force === true, signal)),
  )
}

async function backupTo(file: string, replace: boolean, signal: AbortSignal): Promise<void> {
  const [{ readConfig }, { backupStore }] = await Promise.all([
    import('../../server/config.ts'),
    import('../../server/backup-store.ts'),
  ])
  const { OQS_STORE } = readConfig(process.env)
  let copying: Progress | undefined
  try {
    const bytes = await backupStore(OQS_STORE, file, {
      replace,
      signal,
      onProgress: ({ phase, bytes: done, totalBytes }) => {
        copying ??= startProcessProgress('copying', { totalBytes })
        if (phase === 'copying') copying.update({ bytes: done })
        else {
          copying.end()
          tell(`${formatBytes(done)} copied; checking the copy`)
        }
      },
    })
    tell(`${formatBytes(bytes)} in ${file}`)
  } catch (error) {
    throw signal.aborted
      ? new Interrupted('interrupted; nothing was kept', { cause: error })
      : error
  } finally {
    copying?.end()
  }
}
