/** The values of all groups, for metrics that need all of them at once. */
import { type Bits, hasBit } from '../arrays/bits.ts'
import { type GroupedRows, larger } from './accumulator.ts'

export class KeptValues {
  #values = new Float64Array(1)
  /** The group of each value. Those after the end of the array are 0. */
  #groups = new Int32Array(1)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Makes room for more values. Memory that is not used takes no room. */
  reserve(count: number): void {
    const needed = this.#count + count
    // Most columns are a large segment and small ones, which need no copy then.
    if (needed > this.#values.length) this.#values = larger(this.#values, Math.ceil(needed * 1.125))
  }

  /** Adds the values of rows, in the order of the rows. */
  add(values: Float64Array, present: Bits | undefined, rows: GroupedRows): void {
    const end = this.#count + rows.count
    this.reserve(rows.count)
    if (rows.groupsEnd > 1) this.#groups = larger(this.#groups, this.#values.length)
    if (present === undefined) {
      this.#values.set(values.subarray(0, rows.count), this.#count)
      if (rows.groupsEnd > 1) this.#groups.set(rows.groups.subarray(0, rows.count), this.#count)
      this.#count = end
    } else this.#count = keepPresent(values, present, rows, this.#values, this.#groups, this.#count)
  }

  addOne(value: number, group: number): void {
    this.reserve(1)
    this.#values[this.#count] = value
    if (group > 0) {
      this.#groups = larger(this.#groups, this.#values.length)
      this.#groups[this.#count] = group
    }
    this.#count += 1
  }

  /** Returns the values of each group, which the caller may reorder. */
  byGroup(groupCount: number): (group: number) => Float64Array {
    const values = this.#values.subarray(0, this.#count)
    if (groupCount === 1) return () => values
    return groupValues(values, larger(this.#groups, this.#count), groupCount)
  }
}

/** Adds the values that are present, and returns how many there are then. */
function keepPresent(
  values: Float64Array,
  present: Bits,
  { from, places, groups, groupsEnd, count }: GroupedRows,
  keptValues: Float64Array,
  keptGroups: Int32Array,
  keptCount: number,
): number {
  const isGrouped = groupsEnd > 1
  let end = keptCount
  for (let at = 0; at < count; at += 1) {
    if (!hasBit(present, from + (places[at] as number))) continue
    keptValues[end] = values[at] as number
    if (isGrouped) keptGroups[end] = groups[at] as number
    end += 1
  }
  return end
}

/** Returns the values of each group, copied so that they lie together. */
export function groupValues(
  values: Float64Array,
  groups: Int32Array,
  groupCount: number,
): (group: number) => Float64Array {
  const starts = new Int32Array(groupCount + 1)
  for (let at = 0; at < values.length; at += 1) {
    const next = (groups[at] as number) + 1
    starts[next] = (starts[next] as number) + 1
  }
  for (let group = 0; group < groupCount; group += 1) {
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number)
  }
  const next = starts.slice()
  const grouped = new Float64Array(values.length)
  for (let at = 0; at < values.length; at += 1) {
    const group = groups[at] as number
    const place = next[group] as number
    grouped[place] = values[at] as number
    next[group] = place + 1
  }
  return (group) => grouped.subarray(starts[group], starts[group + 1])
}
