import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { printMessage } from '../output.ts'
import { addExamples } from '../service-options.ts'
import { withStore } from '../store-commands.ts'

/** Adds `oqs verify`, which checks the store that `OQS_STORE` names, also while a service uses it. */
export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .description(
      'Check every stored object against its checksum, and a SQLite store for damaged tables and indexes.',
    )
  addExamples(command, 'oqs verify').action(() => untilInterrupted(verify))
}

async function verify(signal: AbortSignal): Promise<void> {
  await withStore(async (store) => {
    const { rows } = await store.verify(signal).catch((error: unknown) => {
      if (signal.aborted) throw new Interrupted('interrupted', { cause: error })
      const reason = reasonOf(error)
      throw new Error(`The store is damaged or cannot be read: ${reason}`, { cause: error })
    })
    printMessage(`no damage found in ${countOf(rows, 'row version')}`)
  })
}

/** The message for clients says less than its cause. */
function reasonOf(error: unknown): string {
  const { message, cause, parameters } = error as Error & Damage
  const { objectType, primaryKey } = parameters ?? {}
  if (primaryKey !== undefined) {
    return `object ${JSON.stringify(primaryKey)} of object type ${objectType} does not match its checksum`
  }
  if (!(cause instanceof Error)) return message
  const { damaged } = cause as Damage
  return damaged === undefined ? cause.message : `${cause.message}; its key is ${damaged.key}`
}

interface Damage {
  readonly parameters?: { readonly objectType?: string; readonly primaryKey?: string }
  readonly damaged?: { readonly key: string }
}
