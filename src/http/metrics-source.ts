/** Who may read the metrics. */
export const METRICS_ACCESS = ['token', 'open', 'off'] as const
type MetricsAccess = (typeof METRICS_ACCESS)[number]

export interface Metrics {
  readonly access: Exclude<MetricsAccess, 'off'>
  readonly contentType: string
  /** Returns all metrics as text, in the format that `contentType` names. */
  render(): Promise<string>
}
