import type { Command } from 'commander'
import type { ObjectRecord, Page, PageWish } from '../client/service-client.ts'
import {
  addFormOptions,
  chooseForm,
  type FormOptions,
  tell,
  terminalWidth,
  writeOut,
} from './output.ts'
import { formatCount, startProcessProgress } from './progress.ts'
import { parseCount, parseList, parseText } from './service-options.ts'
import type { TableLayout } from './table.ts'

/** Walking over pages and showing their objects: what `list` and `search` share. */

export interface WalkOptions extends FormOptions {
  readonly all?: true
  readonly maxPages?: number
  readonly pageSize?: number
  readonly pageToken?: string
  readonly snapshot?: true
  readonly select?: string[]
  readonly order?: string[]
}

export function addWalkOptions(command: Command): Command {
  return addFormOptions(
    command
      .option('--select <names>', 'properties to show, comma separated', parseList)
      .option('--order <terms>', 'such as runwayFeet:desc,name', parseList)
      .option('--all', 'every page, not only the first')
      .option('--max-pages <count>', 'at most this many pages', parseCount)
      .option('--page-size <count>', 'objects of a page; large sizes are reduced', parseCount)
      .option('--page-token <token>', 'go on where an earlier page ended', parseText)
      .option('--snapshot', 'all pages show the data as it was at the first'),
  )
}

/** A term of `--order`: property, direction, where objects without a value go. */
export function readOrderTerm(term: string): { name: string; rest: string[] } {
  const [name = '', ...rest] = term.split(':')
  return { name: name.replace(/^(?:properties|p)\./, ''), rest }
}

/** Shows the objects of as many pages as were asked for, and says what it left out. */
export async function showWalk(
  readPage: (wish: PageWish) => Promise<Page>,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<void> {
  const { walkPages } = await import('../client/walk-pages.ts')
  const { all, maxPages, pageSize, snapshot } = options
  const walk = { pageToken: options.pageToken, maxPages: maxPages ?? (all ? undefined : 1) }
  const pages = walkPages((pageToken) => readPage({ pageToken, pageSize, snapshot }), walk)
  const writer = await openRecordWriter(options, signal)
  // Where the objects go to the same terminal, they tell themselves how far it is.
  const progress =
    process.stderr.isTTY && !process.stdout.isTTY ? startProcessProgress('reading') : undefined
  let [objects, bytes] = [0, 0]
  let last: Page | undefined
  try {
    for await (const page of pages) {
      bytes += await writer.write(page.data)
      objects += page.data.length
      progress?.update({ objects, bytes })
      last = page
    }
  } finally {
    progress?.end()
  }
  writer.end()
  if (last?.nextPageToken !== undefined) tellRest(objects, last, options)
}

function tellRest(shown: number, { nextPageToken, totalCount }: Page, options: WalkOptions): void {
  // Only a walk from the beginning can tell how many of all were shown.
  const of =
    totalCount === undefined || options.pageToken !== undefined
      ? ''
      : ` of ${formatCount(Number(totalCount))}`
  const everything = options.all ? '' : ' --all goes on to the end, oqs export past every limit;'
  tell(
    `${formatCount(shown)}${of} objects shown, more follow.${everything} to go on, repeat this with --page-token ${nextPageToken}`,
  )
}

interface RecordWriter {
  /** Gives the number of characters written. */
  write(records: readonly ObjectRecord[]): Promise<number>
  end(): void
}

async function openRecordWriter(options: FormOptions, signal: AbortSignal): Promise<RecordWriter> {
  if (chooseForm(options) === 'table') return await openTableWriter(signal)
  return {
    async write(records) {
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      if (text !== '') await writeOut(text, signal)
      return text.length
    },
    end() {},
  }
}

async function openTableWriter(signal: AbortSignal): Promise<RecordWriter> {
  const { headerLine, layOutTable, rowLine } = await import('./table.ts')
  let layout: TableLayout | undefined
  return {
    async write(records) {
      const rows = records.map(({ properties }) => properties)
      const lines: string[] = []
      if (layout === undefined && rows.length > 0) {
        layout = layOutTable(rows, { width: terminalWidth() })
        lines.push(headerLine(layout))
      }
      for (const row of rows) if (layout !== undefined) lines.push(rowLine(layout, row))
      const text = lines.map((line) => `${line}\n`).join('')
      if (text !== '') await writeOut(text, signal)
      return text.length
    },
    end() {
      if (layout === undefined) tell('there are no such objects')
      else if (layout.hidden.length > 0) {
        tell(
          `no room for ${layout.hidden.join(', ')}: --select chooses properties, --json shows all`,
        )
      }
    },
  }
}
