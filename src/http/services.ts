/** What the endpoints work with. `server/` creates it once and passes it to every endpoint. */
import type { BlockList } from 'node:net'
import type { AccessServices } from '../access/access-services.ts'
import type { CallerLimitsOptions } from '../admission/caller-limits.ts'
import type { BatchParsers } from '../service/batches/batch-parsers.ts'
import type { PublicationServices } from '../service/batches/publish-replacement.ts'
import type { TableFiles } from '../service/exports/table-files.ts'
import type { ServiceLimits, ServiceParts } from '../service/service-parts.ts'
import type { ColumnsStatus, ObjectStore, Objects } from '../store/object-store.ts'
import type { AuditSink } from './audit/request-audit.ts'
import type { EventSink } from './events.ts'
import type { OpenRequests } from './request/http-context.ts'
import type { Tracing } from './tracing/tracing.ts'

export interface Services extends ServiceParts, AccessServices {
  readonly openRequests: OpenRequests
  readonly batchParsers: BatchParsers
  readonly tableFiles: TableFiles
  readonly limits: RequestLimits
  /** The path under which a proxy serves the service; empty at the root of its host. */
  readonly basePath: string
  /** The release of the service. */
  readonly version: string
  readonly startedAtMs: number
  readonly emit: EventSink
  /**
   * Whether anything consumes the events of finished requests. If not, requests are not measured
   * either.
   */
  readonly isReportingRequests: boolean
  /** Undefined if the audit log is off. */
  readonly audit: AuditSink | undefined
  /** The proxies whose `X-Forwarded-For` the audit log trusts. */
  readonly trustedProxies: BlockList | undefined
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined
  /** The columns of large types; undefined if they are turned off. */
  readonly columns:
    | (PublicationServices['columns'] & { status(): Promise<ColumnsStatus> })
    | undefined
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined
  /** Aborted when the service shuts down, so that clients should close their connections. */
  readonly stopping: AbortSignal
}

/** What `server/` gives: the rules of callers are added to the objects of its store. */
export interface GivenServices extends Omit<Services, 'objects' | 'store'> {
  readonly store: ObjectStore
  /** The objects of the store, without the rules of callers. */
  readonly storedObjects: Objects
}

export interface RequestLimits extends ServiceLimits {
  /** The limits of each caller, as `getCaller` shows them. */
  readonly callers: Pick<CallerLimitsOptions, 'maxConcurrentRequests' | 'requestsPerMinute'>
  /** How long the client of a stream may stop reading, until its connection is closed. */
  readonly stalledStreamMs: number
}

/** Who may read the metrics. */
export const METRICS_ACCESS = ['token', 'open', 'off'] as const
type MetricsAccess = (typeof METRICS_ACCESS)[number]

export interface Metrics {
  readonly access: Exclude<MetricsAccess, 'off'>
  readonly contentType: string
  /** Returns all metrics as text, in the format that `contentType` names. */
  render(): Promise<string>
}
