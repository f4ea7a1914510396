/** What `oqs sync` has reported, as metrics with the labels of a source. */
import type { SourceReport } from '../../contract/source-report.ts'
import { gauge, type MetricFamily } from './metric-family.ts'

export function syncMetrics(reports: readonly SourceReport[], nowMs: number): MetricFamily[] {
  const ofReports = (
    name: string,
    help: string,
    numberOf: (report: SourceReport) => number | undefined,
  ) =>
    gauge(
      name,
      help,
      reports.flatMap((report) => {
        const { ontology, source, once } = report
        const value = numberOf(report)
        return value === undefined ? [] : [[{ ontology, source, once: String(once) }, value]]
      }),
      // All processes of a service share a store.
      'first',
    )
  return [
    ofReports(
      'oqs_sync_lag_bytes',
      'What the source of a sync has written since the last change that is applied.',
      ({ lagBytes }) => lagBytes,
    ),
    ofReports(
      'oqs_sync_lag_seconds',
      'For how long changes of the source of a sync have been missing.',
      ({ lagSeconds }) => lagSeconds,
    ),
    ofReports(
      'oqs_sync_retained_bytes',
      'The WAL that the source of a sync keeps for the replication slot.',
      ({ retainedBytes }) => retainedBytes,
    ),
    ofReports(
      'oqs_sync_stopped_tables',
      'Tables of a sync that cannot be followed any more.',
      ({ stoppedTables }) => stoppedTables.length,
    ),
    ofReports(
      'oqs_sync_report_age_seconds',
      'The time since a sync has reported its state.',
      ({ reportedAt }) => Math.max(0, nowMs - Date.parse(reportedAt)) / 1000,
    ),
  ]
}
