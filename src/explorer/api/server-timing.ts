/** Returns the milliseconds that the service spent on a request, by its `Server-Timing` header. */
export function serverMs(header: string | null): number | undefined {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? []
  const total = entries.find((entry) => /^total\b/.test(entry)) ?? entries[0]
  const duration = /;\s*dur=([\d.]+)/.exec(total ?? '')?.[1]
  return duration === undefined ? undefined : Number(duration)
}
