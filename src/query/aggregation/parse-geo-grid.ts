/** Parses groupings by the cells of a grid: an extension of v2 for maps. */
import { Type } from 'typebox'
import { closed, documentedWith } from '../../contract/schema-parts.ts'
import { unionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { invalidPropertyType } from './aggregated-property.ts'
import { GEO_GRID_MAX_SIDE, type GeoBox } from './geo-grid.ts'
import { type GroupingParser, positive, requireMember } from './groupings.ts'

const Longitude = documentedWith(Type.Number(), { minimum: -180, maximum: 180 })
const Latitude = documentedWith(Type.Number(), { minimum: -90, maximum: 90 })
const Side = documentedWith(positive(), { maximum: GEO_GRID_MAX_SIDE })

export const GEO_GRID: GroupingParser = {
  ...unionType('GeoGrid', {
    box: Type.Object(
      { west: Longitude, south: Latitude, east: Longitude, north: Latitude },
      {
        ...closed,
        description:
          'The edges, in degrees. If `west` is greater than `east`, the box crosses the antimeridian.',
      },
    ),
    columns: Side,
    rows: Side,
  }),
  parse: ({ written, path, aggregated }) => {
    const { property, type } = aggregated
    if (type !== 'geopoint') throw invalidPropertyType(aggregated, 'is not a geopoint')
    const box = checkBox(requireMember(written.box, `${path}.box`), `${path}.box`)
    const columns = readSide(written.columns, `${path}.columns`)
    const rows = readSide(written.rows, `${path}.rows`)
    return { kind: 'geoGrid', property, type, grid: { ...box, columns, rows } }
  },
}

function readSide(written: number | null | undefined, path: string): number {
  const count = requireMember(written, path)
  if (count <= GEO_GRID_MAX_SIDE) return count
  throw unprocessable(path, `is more than ${GEO_GRID_MAX_SIDE}`)
}

function checkBox({ west, south, east, north }: GeoBox, path: string): GeoBox {
  if (Math.abs(west) > 180 || Math.abs(east) > 180) {
    throw unprocessable(path, 'has a longitude outside -180 to 180')
  }
  if (Math.abs(south) > 90 || Math.abs(north) > 90) {
    throw unprocessable(path, 'has a latitude outside -90 to 90')
  }
  if (west === east) throw unprocessable(path, 'has no width')
  if (south >= north) throw unprocessable(path, 'has no height: south is not less than north')
  return { west, south, east, north }
}
