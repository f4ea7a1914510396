import type { Command } from 'commander'
import type { StatusResponse } from '../../contract/status-response.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut } from '../output.ts'
import { runOnService, type ServiceContext, type ServiceOptions } from '../service-options.ts'

interface StatusOptions extends ServiceOptions, FormOptions {}

export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description('Show the state of a service: its store, its object types and their columns.')
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
  const [{ describePairs, headerLine, layOutTable, rowLine }, { formatBytes, formatDuration }] =
    await Promise.all([import('../table.ts'), import('../progress.ts')])
  const { version, uptimeSeconds, process, store, columns, objectTypes } = status
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
  if (objectTypes.length === 0) return pairs
  const rows = objectTypes.map(({ ontology, objectType, count, storedBytes: bytes }) => {
    const ofType = columns?.objectTypes.find(
      (one) => one.ontology === ontology && one.objectType === objectType,
    )
    return {
      ontology,
      objectType,
      objects: count,
      stored: bytes === undefined ? '' : formatBytes(bytes),
      columns: ofType?.state ?? '',
      memory: ofType === undefined ? '' : formatBytes(ofType.bytes),
      version: ofType?.version ?? '',
      built: ofType?.builtAt ?? '',
    }
  })
  const layout = layOutTable(rows, { width: Infinity })
  const lines = [headerLine(layout), ...rows.map((row) => rowLine(layout, row))]
  return `${pairs}\n${lines.map((line) => `${line}\n`).join('')}`
}
