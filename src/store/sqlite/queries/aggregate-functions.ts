/** SQL functions for aggregations that SQLite does not have. */
import type { DatabaseSync } from 'node:sqlite'
import {
  type Decimal,
  decodeDecimal,
  sortableDecimal,
} from '../../../ontology/values/column-value.ts'

import { gridCell } from '../../../query/aggregation/geo-grid.ts'

/** The exact sum of sortable decimals; see `readDecimalSum`. */
export const DECIMAL_SUM = 'decimal_sum'

/** The largest multiple of a width up to a decimal; takes and returns sortable decimals. */
export const BUCKET_START = 'bucket_start'

/** The number of the cell of a position; null outside of the grid. */
export const GRID_CELL = 'grid_cell'

export function addAggregateFunctions(db: DatabaseSync): void {
  db.aggregate(DECIMAL_SUM, {
    deterministic: true,
    directOnly: true,
    start: (): Decimal => ({ units: 0n, scale: 0 }),
    step: (sum: Decimal, value: unknown) =>
      value === null ? sum : add(sum, decodeDecimal(String(value))),
    result: ({ units, scale }: Decimal) => `${units}/${scale}`,
    // The types require a SQL value, but the accumulator can be any JavaScript value.
  } as unknown as Parameters<DatabaseSync['aggregate']>[1])
  db.function(
    GRID_CELL,
    { deterministic: true, directOnly: true },
    (longitude, latitude, west, south, east, north, columns, rows) => {
      const [x, y] = [Number(longitude), Number(latitude)]
      const box = {
        west: Number(west),
        south: Number(south),
        east: Number(east),
        north: Number(north),
      }
      const grid = { ...box, columns: Number(columns), rows: Number(rows) }
      const cell = gridCell(grid, x, y)
      return cell === undefined ? null : BigInt(cell)
    },
  )
  db.function(
    BUCKET_START,
    { deterministic: true, directOnly: true, useBigIntArguments: true },
    (value, width) => {
      const { units, scale } = decodeDecimal(String(value))
      const by = BigInt(width as bigint)
      return sortableDecimal(String(floorDivide(units, by * 10n ** BigInt(scale)) * by))
    },
  )
}

/** Parses the result of `decimal_sum`. */
export function readDecimalSum(text: string): Decimal {
  const [units = '0', scale = '0'] = text.split('/')
  return { units: BigInt(units), scale: Number(scale) }
}

function add(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return { units: a.units + b.units, scale: a.scale }
  if (a.scale < b.scale) return add(b, a)
  return { units: a.units + b.units * 10n ** BigInt(a.scale - b.scale), scale: a.scale }
}

/** Division of BigInts truncates towards zero. */
function floorDivide(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n)
}
