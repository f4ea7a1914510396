import { once } from 'node:events'
import { type Command, Option } from 'commander'

/** What commands write: tables for people on a terminal, NDJSON for programs in a pipe. */

export type OutputForm = 'table' | 'json'

export interface FormOptions {
  readonly json?: true
  readonly table?: true
}

export function addFormOptions(command: Command): Command {
  const json = 'NDJSON, as in a pipe: objects as the service sends them'
  return command
    .addOption(new Option('--json', json).conflicts('table'))
    .option('--table', 'a table, as on a terminal')
}

/** What was asked for, else what fits where the output goes. */
export function chooseForm({ json, table }: FormOptions): OutputForm {
  if (json === true) return 'json'
  if (table === true) return 'table'
  return process.stdout.isTTY ? 'table' : 'json'
}

const DEFAULT_WIDTH = 120

export function terminalWidth(): number {
  // A terminal that does not know its width says 0.
  return process.stdout.columns || Number(process.env['COLUMNS']) || DEFAULT_WIDTH
}

/** Writes and waits until more can be taken: a slow reader slows the command down. */
export async function writeOut(text: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (process.stdout.write(text)) return
  await once(process.stdout, 'drain', signal === undefined ? {} : { signal })
}

/** Something for people to read, which is no part of the output. */
export function tell(line: string): void {
  process.stderr.write(`oqs: ${line}\n`)
}

export type OutputRow = Readonly<Record<string, string>>

/** A short list, complete: nothing is cut. */
export async function writeRows(
  rows: readonly OutputRow[],
  form: OutputForm = chooseForm({}),
): Promise<void> {
  if (form === 'json') {
    for (const row of rows) await writeOut(`${JSON.stringify(row)}\n`)
    return
  }
  if (rows.length === 0) return await writeOut('nothing to show\n')
  const { headerLine, layOutTable, rowLine } = await import('./table.ts')
  const layout = layOutTable(rows, { width: Infinity, widestCell: Infinity })
  const lines = [headerLine(layout), ...rows.map((row) => rowLine(layout, row))]
  await writeOut(lines.map((line) => `${line}\n`).join(''))
}
