/** Serves `/metrics` for Prometheus. */
import { BlockList, isIPv6 } from 'node:net'
import { Type } from 'typebox'
import { refuseLimitedCaller } from '../access/caller-rights.ts'
import { NoParameters } from '../contract/schema-parts.ts'
import type { App } from './app.ts'
import { admitCaller } from './request/request-hooks.ts'
import { responses } from './schemas/responses.ts'
import type { Services } from './services.ts'

const METRICS_RESPONSE = {
  description: 'The metrics.',
  content: { 'text/plain': { schema: Type.String() } },
}

/** Adds `getMetrics`, unless metrics are off. */
export function addMetrics(app: App, services: Services): void {
  const { metrics } = services
  if (metrics === undefined) return
  app.get(
    '/metrics',
    {
      config: { scope: 'api:metrics-read' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Get the metrics of the service, in the text format of Prometheus',
        description: 'Needs no token on loopback, if the setting `OQS_METRICS` is `open`.',
        tags: ['Operation'],
        querystring: NoParameters,
        response: { ...responses(Type.String()), 200: METRICS_RESPONSE },
      },
      onRequest: async (request) => {
        if (metrics.access === 'open' && isLoopback(request.ip)) return
        await admitCaller(request, services)
        // Metrics name all ontologies.
        refuseLimitedCaller(request.caller)
      },
    },
    async (_, reply) => {
      const text = await metrics.render()
      return reply
        .headers({ 'content-type': metrics.contentType, 'cache-control': 'no-store' })
        .send(text)
    },
  )
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** True for addresses of this machine, also IPv4 addresses that are written as IPv6. */
function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
