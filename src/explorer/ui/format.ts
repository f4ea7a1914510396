/** Numbers, sizes and times for people. */

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [unit, divisor] =
    bytes < 1_000_000
      ? ['kB', 1000]
      : bytes < 1_000_000_000
        ? ['MB', 1_000_000]
        : ['GB', 1_000_000_000]
  const value = bytes / Number(divisor)
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** Minutes and seconds: 4:31. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
