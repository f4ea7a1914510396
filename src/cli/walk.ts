/** Walks over pages and prints their objects; shared by `list` and `search`. */
import type { Command } from 'commander'
import type { Endpoints } from '../client/endpoints/endpoints.ts'
import type { ObjectRecord, Page, PageOptions, TypePath } from '../client/endpoints/pages.ts'
import type { OrderTerm, PageQuery } from '../client/query/page-requests.ts'
import { countOf, formatCount } from '../contract/count-of.ts'
import {
  addFormOptions,
  chooseForm,
  type FormOptions,
  printMessage,
  terminalWidth,
  writeOut,
} from './output.ts'
import { startProcessProgress } from './progress.ts'
import { parseCount, parseList, parseText } from './service-options.ts'
import type { TableLayout } from './table.ts'

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
      .option('--select <names>', 'properties to show, comma-separated', parseList)
      .option('--order <terms>', 'sort order, such as runwayFeet:desc,name', parseList)
      .option('--all', 'read all pages, not only the first')
      .option('--max-pages <count>', 'read at most this many pages', parseCount)
      .option(
        '--page-size <count>',
        'objects per page; the service reduces large values',
        parseCount,
      )
      .option('--page-token <token>', 'continue after an earlier page', parseText)
      .option('--snapshot', 'read all pages as of the first page'),
  )
}

const NULLS: Readonly<Record<string, string>> = { nullsFirst: 'first', nullsLast: 'last' }

/** Reads a term of `--order`: `runwayFeet:desc:nullsLast`. The service rejects other words. */
export function readOrderTerm(term: string): OrderTerm {
  const [name = '', direction = 'asc', nulls] = term.split(':')
  const property = name.replace(/^(?:properties|p)\./, '')
  const position = nulls === undefined ? {} : { nulls: NULLS[nulls] ?? nulls }
  return { property, direction, ...position } as OrderTerm
}

/** Reads a page of a query through revision 1.0. */
export async function readQueryPage(
  { connection }: Endpoints,
  type: TypePath,
  query: PageQuery,
  page: PageOptions,
): Promise<Page> {
  const { readPage } = await import('../client/endpoints/endpoint-group.ts')
  const { revision1PageRequest } = await import('../client/query/page-requests.ts')
  return readPage(connection, revision1PageRequest(type, query, page))
}

/** Prints the objects of the requested pages, and how to continue if more follow. */
export async function printWalk(
  readPage: (options: PageOptions) => Promise<Page>,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<void> {
  const { walkPages } = await import('../client/query/walk-pages.ts')
  const { all, maxPages, pageSize, snapshot } = options
  const walk = {
    pageToken: options.pageToken,
    maxPages: maxPages ?? (all ? undefined : 1),
    onContinue: () =>
      printMessage(
        'the page token was too old; the objects from here on are as of now, not of the moment of those before',
      ),
  }
  const pages = walkPages((pageToken) => readPage({ pageToken, pageSize, snapshot }), walk)
  const writer = await openRecordWriter(options, signal)
  // Objects printed to the same terminal show the progress themselves.
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
  if (last?.nextPageToken !== undefined) printContinuation(objects, last, options)
}

function printContinuation(
  printed: number,
  { nextPageToken, totalCount }: Page,
  options: WalkOptions,
): void {
  // The total says nothing about a walk that started in the middle.
  const of =
    totalCount === undefined || options.pageToken !== undefined
      ? ''
      : ` of ${countOf(Number(totalCount), 'object')}`
  const all = options.all ? '' : ' Use --all to read every page, or `oqs export` without a limit.'
  const shown = of === '' ? countOf(printed, 'object') : `${formatCount(printed)}${of}`
  printMessage(
    `${shown} shown; more follow.${all} To continue, repeat the command with --page-token ${nextPageToken}`,
  )
}

interface RecordWriter {
  /** Returns the number of characters written. */
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
      if (layout === undefined) printMessage('no objects found')
      else if (layout.hidden.length > 0) {
        printMessage(
          `columns that do not fit: ${layout.hidden.join(', ')}. Choose properties with --select, or see all with --json.`,
        )
      }
    },
  }
}
