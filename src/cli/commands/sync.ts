import { type Command, InvalidArgumentError, Option } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import type { SyncEvents } from '../../transfer/sync/sync-tables.ts'
import { describeProgress } from '../change-progress.ts'
import { untilInterrupted, untilStopped } from '../interrupt.ts'
import { printMessage } from '../output.ts'
import { type Progress, startProcessProgress } from '../progress.ts'
import {
  addExamples,
  addServiceOptions,
  openClient,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'

interface SyncCommandOptions extends ServiceOptions {
  readonly ontology: string
  readonly table?: string
  readonly tables?: string
  readonly type?: string
  readonly slot?: string
  readonly once?: true
  readonly restart?: true
  readonly dropSlot?: true
}

export function addSyncCommand(program: Command): void {
  const command = program
    .command('sync')
    .description(
      'Copy tables of a PostgreSQL database, then follow them by logical replication: each transaction of the source becomes one commit.',
    )
    .argument('<source>', 'URL of the database: postgres://user@host/database', parseSource)
    .requiredOption('--ontology <name>', 'API name or RID of the ontology', parseText)
    .addOption(
      new Option('--table <name>', 'the table, such as public.orders')
        .argParser(parseText)
        .conflicts('tables'),
    )
    .option(
      '--tables <patterns>',
      "tables, comma-separated, such as 'public.*': one type each, foreign keys become links",
      parseText,
    )
    .option('--type <name>', 'API name of the object type for --table', parseText)
    .option('--once', 'stop when caught up')
    .option('--restart', 'copy everything again, and replace all objects of the types')
    .option('--slot <name>', 'name of the replication slot and the publication', parseSlot)
    .option('--drop-slot', 'drop the replication slot and the publication, and stop')
  addServiceOptions(command)
  addExamples(
    command,
    'oqs sync postgres://app@db.example/shop --table public.orders --ontology shop --type order',
    "oqs sync postgres://app@db.example/shop --tables 'public.*' --ontology shop --once",
    "oqs sync postgres://app@db.example/shop --tables 'public.*' --ontology shop --drop-slot",
  ).action((source: string, options: SyncCommandOptions) => {
    const mistake = findMistake(options)
    if (mistake !== undefined) command.error(`error: ${mistake}`, { exitCode: 2 })
    const run = (signal: AbortSignal) => sync(source, options, signal)
    return options.once ? untilInterrupted(run) : untilStopped(run)
  })
}

function findMistake({ table, tables, type, slot, dropSlot }: SyncCommandOptions) {
  if (dropSlot && slot !== undefined) return undefined
  if (table === undefined && tables === undefined) {
    return "pass '--table <name>' or '--tables <patterns>'"
  }
  if ((table === undefined) !== (type === undefined)) {
    return "options '--table <name>' and '--type <name>' belong together"
  }
  return undefined
}

async function sync(url: string, options: SyncCommandOptions, signal: AbortSignal): Promise<void> {
  const { once = false, restart = false, ontology } = options
  const progress = startProcessProgress('copying')
  try {
    // A commit in progress is finished, so that its position can be confirmed.
    const client = await openClient(options, signal, { finishRequests: true })
    const request = { ...options, url, once, restart, signal }
    if (options.dropSlot) {
      const { dropSync } = await import('../../transfer/sync/prepare-sync.ts')
      const { name, isDropped } = await dropSync(client, request)
      printMessage(
        isDropped
          ? `dropped the replication slot and the publication ${name}`
          : `there is no replication slot or publication ${name}`,
      )
      return
    }
    const reportLag = onceAMinute((text) => printAside(progress, text))
    const { syncTables } = await import('../../transfer/sync/sync-tables.ts')
    const { formatLsn } = await import('../../transfer/sync/lsn.ts')
    const events: SyncEvents = {
      onNote: (text) => printAside(progress, text),
      onChanging: changeReporter(progress),
      onCopying: ({ objectType }, objects) =>
        progress.update({ label: `copying ${objectType}: ${countOf(objects, 'object')}` }),
      onCopied: (objects, mappings) =>
        printAside(
          progress,
          `copied ${countOf(objects, 'object')} of ${countOf(mappings.length, 'table')} to ${ontology}`,
        ),
      onProgress: ({ transactions, position, lagMs }) => {
        const behind = `${(lagMs / 1000).toFixed(1)} s behind the source`
        // In a log, a line every few seconds would say nothing new.
        if (!process.stderr.isTTY) {
          if (lagMs >= REPORTED_LAG_MS) reportLag(`${behind}, at ${formatLsn(position)}`)
          return
        }
        const done = `${countOf(transactions, 'transaction')}, at ${formatLsn(position)}`
        progress.update({ label: `following: ${done}, ${behind}` })
      },
      onCaughtUp: (slot, { position }) =>
        printAside(progress, `caught up at ${formatLsn(position)} with the slot ${slot}`),
      onRetry: retryReporter((text) => printAside(progress, text)),
    }
    const { transactions, position } = await syncTables(client, request, events)
    progress.end()
    printMessage(`wrote ${countOf(transactions, 'transaction')}, up to ${formatLsn(position)}`)
    signal.throwIfAborted()
  } finally {
    progress.end()
  }
}

/** Says once for each change of the definition that the sync waits for it, then shows its progress. */
function changeReporter(progress: Progress): SyncEvents['onChanging'] {
  let reported: string | undefined
  return (change) => {
    if (reported !== change.id) {
      const waiting = 'waiting until the service has changed the definition'
      printAside(progress, `${waiting}; ${describeProgress(change)}`)
    }
    reported = change.id
    progress.update({ label: describeProgress(change) })
  }
}

function printAside(progress: { end(): void }, text: string): void {
  progress.end()
  printMessage(text)
}

/** Shorter pauses are those of a restart. */
const REPORTED_PAUSE_MS = 2000
const REPORTED_LAG_MS = 10_000
const REPORTS_APART_MS = 60_000

/** Returns a function that prints at most one text a minute. */
function onceAMinute(print: (text: string) => void): (text: string) => void {
  let printedAt = Number.NEGATIVE_INFINITY
  return (text) => {
    const now = performance.now()
    if (now - printedAt < REPORTS_APART_MS) return
    printedAt = now
    print(text)
  }
}

/** Returns a function that says why the sync waits. */
function retryReporter(print: (text: string) => void): SyncEvents['onRetry'] {
  const report = onceAMinute(print)
  return ({ message }, pauseMs) => {
    if (pauseMs < REPORTED_PAUSE_MS) return
    report(`${message.replace(/\.$/, '')}. The sync tries again until it succeeds.`)
  }
}

function parseSource(text: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('It must start with postgres:// or postgresql://.')
  }
  return text
}

function parseSlot(text: string): string {
  if (!/^[a-z0-9_]{1,63}$/.test(text)) {
    throw new InvalidArgumentError('It can have up to 63 lower-case letters, digits and _.')
  }
  return text
}
