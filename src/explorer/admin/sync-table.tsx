/** What each `oqs sync` has reported last. */
import type { SourceReport } from '../../contract/source-report.ts'
import { formatBytes } from '../ui/format.ts'
import { DataTable } from './data-table.tsx'
import { describeDuration, describeTime, fullTime } from './describe-time.ts'

export function SyncTable({ reports }: { readonly reports: readonly SourceReport[] }) {
  const bytes = (value: number | undefined) => (value === undefined ? '–' : formatBytes(value))
  return (
    <DataTable
      rows={reports}
      keyOf={({ ontology, source }) => `${ontology}/${source}`}
      columns={[
        {
          name: 'Source',
          render: ({ ontology, source }) => (
            <>
              <span className="label">{ontology} › </span>
              {source}
            </>
          ),
        },
        { name: 'State', render: describeState },
        {
          name: 'Behind',
          kind: 'number',
          render: ({ lagSeconds, lagBytes }) =>
            lagSeconds === undefined
              ? '–'
              : `${describeDuration(Math.round(lagSeconds))}, ${bytes(lagBytes)}`,
        },
        {
          name: 'Retained log',
          kind: 'number',
          render: ({ retainedBytes }) => bytes(retainedBytes),
        },
        { name: 'Tables', render: describeTables },
        {
          name: 'Reported',
          render: ({ reportedAt }) => (
            <span title={fullTime(reportedAt)}>{describeTime(reportedAt, Date.now())}</span>
          ),
        },
      ]}
    />
  )
}

function describeState({ state, problem }: SourceReport) {
  if (problem === undefined) return state
  return (
    <>
      <strong>{state}</strong>: {problem}
    </>
  )
}

function describeTables({ tables, stoppedTables }: SourceReport) {
  return (
    <>
      {tables} followed
      {stoppedTables.map(({ table, reason }) => (
        <p key={table} className="m-0">
          <strong>{table} has stopped</strong>: {reason}
        </p>
      ))}
    </>
  )
}
