import { type Command, InvalidArgumentError } from 'commander'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { printMessage } from '../output.ts'
import { formatBytes, type Progress, startProcessProgress } from '../progress.ts'
import { addExamples } from '../service-options.ts'
import { printDefaultStore, recordCommand } from '../store-commands.ts'

interface BackupCommandOptions {
  readonly force?: true
}

/** Adds `oqs backup`, which copies the store that `OQS_STORE` names, also while a service uses it. */
export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .description(
      'Copy the SQLite store as of one point in time. The service can keep running meanwhile.',
    )
    .argument('<file>', 'file to write', parseBackupFile)
    .option('--force', 'overwrite the file if it exists')
  addExamples(command, 'oqs backup backup.db', 'oqs backup --force backup.db').action(
    (file: string, { force }: BackupCommandOptions) =>
      untilInterrupted((signal) => backupTo(file, force === true, signal)),
  )
}

function parseBackupFile(text: string): string {
  if (text !== '-') return text
  throw new InvalidArgumentError('A backup needs a regular file; write ./- for a file named -.')
}

async function backupTo(file: string, replace: boolean, signal: AbortSignal): Promise<void> {
  const [{ readConfig }, { backupStore }] = await Promise.all([
    import('../../server/config.ts'),
    import('../../server/backup-store.ts'),
  ])
  const config = readConfig(process.env)
  const { OQS_STORE } = config
  await printDefaultStore(config)
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
          printMessage(`${formatBytes(done)} copied; checking the copy`)
        }
      },
    })
    await recordBackup(OQS_STORE)
    printMessage(`backup complete: ${formatBytes(bytes)} in ${file}`)
  } catch (error) {
    throw signal.aborted
      ? new Interrupted('interrupted; no backup was written', { cause: error })
      : error
  } finally {
    copying?.end()
  }
}

/** A store that takes no record, for example on a full disk, can still be copied. */
async function recordBackup(storeName: string): Promise<void> {
  const { openExistingStore } = await import('../../server/open-store.ts')
  try {
    await using store = await openExistingStore(storeName)
    await recordCommand(store, 'backup')
  } catch (error) {
    printMessage(`the backup is not in the audit log: ${(error as Error).message}`)
  }
}
