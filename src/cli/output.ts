/** The output of commands: tables on a terminal, NDJSON in a pipe, messages on standard error. */
import { once } from 'node:events'
import { type Command, Option } from 'commander'

export type OutputForm = 'table' | 'json'

export interface FormOptions {
  readonly json?: true
  readonly table?: true
}

export function addFormOptions(command: Command): Command {
  const json = 'print NDJSON, with objects as the service sends them (default in a pipe)'
  return command
    .addOption(new Option('--json', json).conflicts('table'))
    .option('--table', 'print a table (default on a terminal)')
}

/** Returns the requested form; without one, a table on a terminal and NDJSON elsewhere. */
export function chooseForm({ json, table }: FormOptions): OutputForm {
  if (json === true) return 'json'
  if (table === true) return 'table'
  return process.stdout.isTTY ? 'table' : 'json'
}

const DEFAULT_WIDTH = 120

export function terminalWidth(): number {
  // A terminal of unknown width reports 0.
  return process.stdout.columns || Number(process.env['COLUMNS']) || DEFAULT_WIDTH
}

/** Writes to standard output and waits for it to drain: a slow reader slows the command down. */
export async function writeOut(text: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (process.stdout.write(text)) return
  await once(process.stdout, 'drain', signal === undefined ? {} : { signal })
}

/** Prints a message for the user to standard error; it is not part of the output. */
export function printMessage(line: string): void {
  process.stderr.write(`oqs: ${line}\n`)
}

export type OutputRow = Readonly<Record<string, unknown>>

/** Writes a short list in full, without cutting cells. */
export async function writeRows(
  rows: readonly OutputRow[],
  form: OutputForm = chooseForm({}),
): Promise<void> {
  if (form === 'json') {
    for (const row of rows) await writeOut(`${JSON.stringify(row)}\n`)
    return
  }
  if (rows.length === 0) return await writeOut('no entries\n')
  const { headerLine, layOutTable, rowLine } = await import('./table.ts')
  const layout = layOutTable(rows, { width: Infinity, widestCell: Infinity })
  const lines = [headerLine(layout), ...rows.map((row) => rowLine(layout, row))]
  await writeOut(lines.map((line) => `${line}\n`).join(''))
}
