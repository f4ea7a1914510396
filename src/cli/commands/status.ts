import type { Command } from 'commander'
import type { SourceReport } from '../../contract/source-report.ts'
import type { StatusResponse } from '../../contract/status-response.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut } from '../output.ts'
import { runOnService, type ServiceContext, type ServiceOptions } from '../service-options.ts'
import type { TableRow } from '../table.ts'

interface StatusOptions extends ServiceOptions, FormOptions {}

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description(
      'Show the state of a service: its store, its object types, their columns, and what each oqs sync reports.',
    )
  addFormOptions(status)
  runOnService(status, ['oqs status', 'oqs status --json'], printStatus)
}

async function printStatus({ client, options, signal }: ServiceContext<StatusOptions>) {
  const request = { signal, path: '/api/admin/v1/status', isRepeatable: true }
  const status = await client.connection.send<StatusResponse>(request)
  const text =
    chooseForm(options) === 'json' ? `${JSON.stringify(status)}\n` : await describe(status)
  await writeOut(text, signal)
}

async function describe(status: StatusResponse): Promise<string> {
  const [{ cellText, describePairs, headerLine, layOutTable, rowLine }, progress] =
    await Promise.all([import('../table.ts'), import('../progress.ts')])
  const { formatBytes, formatDuration } = progress
  const { version, uptimeSeconds, process, store, columns, objectTypes, sources } = status
  const { storedBytes } = store
  const memory =
    columns &&
    `${formatBytes(columns.usedBytes)} of ${formatBytes(columns.maxBytes)}, ${formatBytes(columns.residentBytes)} with their process`
  const pairs = describePairs([
    ['service', `${version}, up ${formatDuration(1000 * uptimeSeconds)}`],
    ['memory', formatBytes(process.residentBytes)],
    ['store', store.kind + (storedBytes === undefined ? '' : `, ${formatBytes(storedBytes)}`)],
    ['columns', memory ?? 'off'],
  ])
  const tableOf = (rows: readonly TableRow[]) => {
    if (rows.length === 0) return ''
    const layout = layOutTable(rows, { width: Infinity, widestCell: Infinity })
    const lines = [headerLine(layout), ...rows.map((row) => rowLine(layout, row))]
    return `\n${lines.map((line) => `${line}\n`).join('')}`
  }
  const typeRows = objectTypes.map(({ ontology, objectType, count, storedBytes: bytes }) => {
    const ofType = columns?.objectTypes.find(
      (one) => one.ontology === ontology && one.objectType === objectType,
    )
    return {
      ontology,
      objectType,
      objects: count,
      stored: bytes === undefined ? '' : formatBytes(bytes),
      columns: columnsText(ofType),
      memory: ofType === undefined ? '' : formatBytes(ofType.bytes),
      version: ofType?.version ?? '',
      built: ofType?.builtAt ?? '',
    }
  })
  const sourceRows = sources.map((report) => {
    const { ontology, source, state, tables, lagSeconds, lagBytes, retainedBytes } = report
    const { stoppedTables, reportedAt } = report
    return {
      ontology,
      source,
      state,
      behind: lagSeconds === undefined ? '' : formatDuration(1000 * lagSeconds),
      lag: lagBytes === undefined ? '' : formatBytes(lagBytes),
      retained: retainedBytes === undefined ? '' : formatBytes(retainedBytes),
      tables,
      stopped: stoppedTables.length,
      reported: `${formatDuration(Date.now() - Date.parse(reportedAt))} ago`,
    }
  })
  const problems = sources.flatMap(problemsOf).map((line) => `${cellText(line)}\n`)
  return [pairs, tableOf(typeRows), tableOf(sourceRows), ...problems].join('')
}

/** Says why a source is not followed, and which of its tables are not. */
function problemsOf({ source, problem, stoppedTables }: SourceReport): readonly string[] {
  const reasons = stoppedTables.map(({ table, reason }) => `${table} has stopped: ${reason}`)
  const problems = [...(problem === undefined ? [] : [problem]), ...reasons]
  return problems.map((text) => `${source}: ${text}`)
}

type ColumnsOfType = NonNullable<StatusResponse['columns']>['objectTypes'][number]

function columnsText(columns: ColumnsOfType | undefined): string {
  const { state, building } = columns ?? {}
  if (building === undefined) return state ?? ''
  const share = Math.floor((100 * building.objects) / Math.max(1, building.totalObjects))
  return `${state === 'building' ? state : `${state}, renewing`} ${share} %`
}
