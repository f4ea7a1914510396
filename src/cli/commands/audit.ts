import { type Command, InvalidArgumentError } from 'commander'
import type { ListedAuditRecord } from '../../contract/audit-record.ts'
import { addFormOptions, chooseForm, type FormOptions, printMessage, writeOut } from '../output.ts'
import {
  parseCount,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'

interface AuditOptions extends ServiceOptions, FormOptions {
  readonly since?: string
  readonly until?: string
  readonly caller?: string
  readonly operation?: string
  readonly ontology?: string
  readonly limit?: number
}

interface AuditPage {
  readonly data: readonly ListedAuditRecord[]
  readonly nextPageToken?: string
  readonly level?: string
}

const DEFAULT_LIMIT = 100
const MAX_PAGE_SIZE = 500

export function addAuditCommand(program: Command): void {
  const audit = program
    .command('audit')
    .description('Show who did what: the records of the audit log, the latest first.')
    .option('--since <time>', 'a time, or how long ago, such as 30m, 12h or 7d', parseTime)
    .option('--until <time>', 'the end of the time range, excluded', parseTime)
    .option('--caller <name>', 'the name or the id of a caller', parseText)
    .option('--operation <name>', 'an operation of the API, such as writeObjects', parseText)
    .option('--ontology <name>', 'the API name of an ontology', parseText)
    .option('--limit <count>', `show at most this many (default: ${DEFAULT_LIMIT})`, parseCount)
  addFormOptions(audit)
  const examples = [
    'oqs audit --since 24h',
    'oqs audit --caller importer --operation writeObjects --limit 1000 > writes.ndjson',
  ]
  runOnService(audit, examples, printAudit)
}

async function printAudit({ client, options, signal }: ServiceContext<AuditOptions>) {
  const { readPage } = await import('../../client/endpoints/endpoint-group.ts')
  const { since, until, caller, operation, ontology, limit = DEFAULT_LIMIT } = options
  const records: ListedAuditRecord[] = []
  let pageToken: string | undefined
  let isOff: boolean
  do {
    const pageSize = Math.min(MAX_PAGE_SIZE, limit - records.length)
    const query = { since, until, caller, operation, ontology, pageSize, pageToken }
    const request = { signal, path: '/api/admin/v1/audit', query }
    const page = await readPage<AuditPage>(client.connection, request)
    records.push(...page.data)
    pageToken = page.nextPageToken
    isOff = page.level === 'off'
  } while (pageToken !== undefined && records.length < limit)
  await printRecords(records, options, signal)
  if (isOff)
    printMessage('auditing is off: OQS_AUDIT of the service says which requests it records')
  if (pageToken !== undefined) printMessage('more records follow; show them with a larger --limit')
}

async function printRecords(
  records: readonly ListedAuditRecord[],
  options: FormOptions,
  signal: AbortSignal,
): Promise<void> {
  if (chooseForm(options) === 'json') {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    if (text !== '') await writeOut(text, signal)
    return
  }
  if (records.length === 0) return printMessage('no records found')
  const [{ headerLine, layOutTable, rowLine }, { terminalWidth }] = await Promise.all([
    import('../table.ts'),
    import('../output.ts'),
  ])
  const rows = records.map(toRow)
  const layout = layOutTable(rows, { width: terminalWidth() })
  const lines = [headerLine(layout), ...rows.map((row) => rowLine(layout, row))]
  await writeOut(lines.map((line) => `${line}\n`).join(''), signal)
}

function toRow(record: ListedAuditRecord) {
  const { time, caller, operation, ontology, objectTypes = [], outcome, errorName } = record
  const { objects, put = 0, deleted = 0, keys = [], moreKeys = 0, address } = record
  const names = [ontology, objectTypes.join(',')].filter(
    (name) => name !== undefined && name !== '',
  )
  return {
    time,
    caller: caller?.name ?? '',
    operation,
    outcome: errorName ?? outcome,
    objects: objects ?? (record.kind === 'write' ? put + deleted : ''),
    of: names.join('/'),
    keys: [...keys, ...(moreKeys > 0 ? [`and ${moreKeys} more`] : [])].join(' '),
    address,
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns a time as the service reads it. */
function parseTime(text: string): string {
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const timeMs =
    number === undefined ? Date.parse(text) : Date.now() - Number(number) * (UNIT_MS[unit] ?? 0)
  if (Number.isNaN(timeMs)) {
    throw new InvalidArgumentError(
      'It must be a time such as 2026-01-31T12:00:00Z, or 30m, 12h, 7d.',
    )
  }
  return new Date(timeMs).toISOString()
}
