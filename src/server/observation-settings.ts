/** The settings of the audit log and of tracing. */
import { BlockList, isIP } from 'node:net'
import { AUDIT_LEVELS } from '../contract/audit-record.ts'
import { AUDIT_RETENTION_DAYS } from '../contract/limits.ts'
import { Secret } from './secret.ts'

const MAX_RETENTION_DAYS = 36_500

export const OBSERVATION_SETTINGS = {
  OQS_AUDIT: {
    default: 'off',
    meaning:
      'What the audit log records. `writes`: requests that change something. `all`: also those that read. `off`: nothing.',
    allowed: AUDIT_LEVELS.join(', '),
    parse: (text: string) => AUDIT_LEVELS.find((level) => level === text),
  },
  OQS_AUDIT_FILE: {
    default: undefined,
    meaning:
      'Where records of the audit log are also written, as JSON lines; the file can be renamed to rotate it.',
    allowed: 'the path of a file, or - for standard output',
    parse: (text: string) => text,
  },
  OQS_AUDIT_RETENTION_DAYS: {
    default: String(AUDIT_RETENTION_DAYS),
    meaning: 'How long the store keeps records of the audit log.',
    allowed: `a number from 1 to ${MAX_RETENTION_DAYS}`,
    parse: (text: string) => {
      const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
      return days >= 1 && days <= MAX_RETENTION_DAYS ? days : undefined
    },
  },
  OQS_TRUSTED_PROXIES: {
    default: undefined,
    meaning:
      'Proxies whose `X-Forwarded-For` header tells the audit log where a request came from, and whose number of connections is not limited by address.',
    allowed: 'IP addresses and networks such as 10.0.0.0/8, separated by commas',
    parse: parseNetworks,
  },
  OQS_TRACE_SAMPLING: {
    default: '0',
    meaning:
      'The share of requests that are traced with OpenTelemetry; a `traceparent` header overrides it; 0 turns tracing off.',
    allowed: 'a number from 0 to 1',
    parse: (text: string) =>
      /^(?:0(?:\.\d{1,6})?|1(?:\.0+)?)$/.test(text) ? Number(text) : undefined,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: 'http://localhost:4318',
    meaning: 'The collector that traces are sent to, as OTLP over HTTP; `/v1/traces` is added.',
    allowed: 'a URL that starts with http:// or https://, without a user name',
    parse: (text: string) =>
      /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/.test(text) && URL.canParse(text) ? text : undefined,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: undefined,
    meaning: 'Headers for the collector, such as those with an API key.',
    allowed: 'NAME=VALUE pairs, separated by commas, with special characters percent-encoded',
    parse: parseHeaders,
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    default: 'object-query-service',
    meaning: 'The name of the service in traces.',
    allowed: 'a text',
    parse: (text: string) => text,
  },
} as const

function parseNetworks(text: string): BlockList | undefined {
  const networks = new BlockList()
  try {
    for (const entry of text.split(',')) {
      const [address = '', bits] = entry.trim().split('/')
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      if (bits === undefined) networks.addAddress(address, family)
      else if (/^\d{1,3}$/.test(bits)) networks.addSubnet(address, Number(bits), family)
      else return undefined
    }
    return networks
  } catch {
    return undefined
  }
}

function parseHeaders(text: string): Secret<Readonly<Record<string, string>>> | undefined {
  try {
    const pairs = text.split(',').map((pair) => /^\s*([\w-]+)=(.*?)\s*$/.exec(pair))
    if (pairs.includes(null)) return undefined
    const headers = pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')])
    return new Secret(Object.fromEntries(headers) as Record<string, string>)
  } catch {
    return undefined
  }
}
