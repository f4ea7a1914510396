/** The spans of one request: the request, in it the plan of each page, and in that its statements. */
import {
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
// As tuples, because each span would shift numbers by its own reading of the clock.
import { hrTime } from '@opentelemetry/core'
import type { RequestTrace, TracedRequest } from '../../http/tracing/tracing.ts'
import type { ReadReport, StoreWork } from '../../store/port/request-context.ts'

export class RequestSpans implements RequestTrace {
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
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(hrTime())
  }
}
