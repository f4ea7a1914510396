/** Traces with OpenTelemetry. Loaded only if tracing is on. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { hrTime, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { RequestTrace, TracedRequest, Tracing } from '../../http/tracing/tracing.ts'
import type { ReadReport, StoreWork } from '../../store/port/request-context.ts'
import type { Config } from '../config.ts'

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

/** The spans of one request: the request, in it the plan of each page, and in that its statements. */
// As tuples, because each span would shift numbers by its own reading of the clock.

class RequestSpans implements RequestTrace {
  readonly #tracer: Tracer
  readonly #span: Span
  readonly #context: Context

  constructor(tracer: Tracer, parent: Context, kind: SpanKind) {
    this.#tracer = tracer
    // Renamed when its route is known.
    this.#span = tracer.startSpan('request', { kind, startTime: hrTime() }, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  addRead({ plan, planMs, sqlMs }: ReadReport): void {
    const endedAtMs = performance.now()
    const startedAtMs = endedAtMs - planMs - sqlMs
    const planned = this.#tracer.startSpan(
      `plan ${plan}`,
      { startTime: hrTime(startedAtMs), attributes: { 'oqs.plan': plan } },
      this.#context,
    )
    if (plan !== 'pageCache') {
      this.#tracer
        .startSpan(
          'SQL',
          { startTime: hrTime(startedAtMs + planMs) },
          trace.setSpan(this.#context, planned),
        )
        .end(hrTime(endedAtMs))
    }
    planned.end(hrTime(endedAtMs))
  }

  addStoreWork(name: Exclude<StoreWork, 'read'>, startedAtMs: number): void {
    this.#tracer.startSpan(name, { startTime: hrTime(startedAtMs) }, this.#context).end(hrTime())
  }

  end({ method, route, operation, status, errorName, objects }: TracedRequest): void {
    const span = this.#span
    span.updateName(`${method} ${route}`)
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
    })
    if (operation !== undefined) span.setAttribute('oqs.operation', operation)
    if (objects !== undefined) span.setAttribute('oqs.objects', objects)
    if (errorName !== undefined) span.setAttribute('error.type', errorName)
    if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(hrTime())
  }
}
