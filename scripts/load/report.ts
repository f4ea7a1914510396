import { count } from '../measure/table.ts'

/** What loading a number of objects cost. */
export interface LoadReport {
  readonly seconds: number
  /** Of all processes that take part; undefined if it cannot be measured. */
  readonly cpuMicros: number | undefined
  /** The size of the files. */
  readonly bytes: number
}

export const LOAD_HEADER = ['Load', 'seconds', 'objects/s', 'CPU µs', 'bytes', 'rate / ceiling']

/** Returns a row of the table: CPU and bytes per object, and the rate as a share of the ceiling. */
export function loadRow(
  name: string,
  objects: number,
  { seconds, cpuMicros, bytes }: LoadReport,
  ceiling: LoadReport,
): readonly string[] {
  return [
    name,
    seconds.toFixed(1),
    count(objects / seconds),
    cpuMicros === undefined ? '-' : (cpuMicros / objects).toFixed(1),
    count(bytes / objects),
    (ceiling.seconds / seconds).toFixed(2),
  ]
}
