/** Traces with OpenTelemetry. Loaded only if tracing is on. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { RequestTrace, Tracing } from '../../http/tracing/tracing.ts'
import type { Config } from '../config.ts'
import { RequestSpans } from './request-spans.ts'

const PATH = '/v1/traces'
/** Stopping does not wait longer than this for a collector that does not answer. */
const EXPORT_TIMEOUT_MS = 3000

export interface StartedTracing extends Tracing, AsyncDisposable {}

export function startTracing(config: Config, version: string): StartedTracing {
  const exporter = new OTLPTraceExporter({
    url: config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/*$/, PATH),
    headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS?.reveal() },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': version,
      'process.pid': process.pid,
    }),
    // Whether a request is traced is decided before its first span is created.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  })
  const tracer = provider.getTracer('object-query-service', version)
  const share = config.OQS_TRACE_SAMPLING
  return {
    start: (headers) => startTrace(tracer, share, headers),
    async [Symbol.asyncDispose]() {
      // Spans that cannot be sent are lost; the service stops anyway.
      await provider.shutdown().catch(() => {})
    },
  }
}

const propagator = new W3CTraceContextPropagator()

function startTrace(
  tracer: Tracer,
  share: number,
  headers: IncomingHttpHeaders,
): RequestTrace | undefined {
  const parent = parentOf(headers)
  const decided = parent && trace.getSpanContext(parent)
  const isSampled = decided === undefined ? Math.random() < share : isSampledBy(decided)
  return isSampled ? new RequestSpans(tracer, parent ?? ROOT_CONTEXT, SpanKind.SERVER) : undefined
}

/** Returns the trace that the client is part of; undefined without a valid header. */
function parentOf(headers: IncomingHttpHeaders): Context | undefined {
  if (headers['traceparent'] === undefined) return undefined
  const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
  return trace.getSpanContext(context) === undefined ? undefined : context
}

function isSampledBy({ traceFlags }: { readonly traceFlags: number }): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}
