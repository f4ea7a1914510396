/** Content codings: which ones a client accepts (RFC 9110, 12.5.3). */
import type { IncomingHttpHeaders } from 'node:http'

/** Returns the first of the offered codings that the headers of a request allow. */
export function chooseCoding<Coding extends string>(
  { 'accept-encoding': accepted }: IncomingHttpHeaders,
  offered: readonly Coding[],
): Coding | undefined {
  if (accepted === undefined) return undefined
  const weights = new Map<string, number>()
  for (const part of String(accepted).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(
      name === 'x-gzip' ? 'gzip' : name,
      weight === undefined ? 1 : Number(weight.slice(2)),
    )
  }
  return offered.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0)
}
