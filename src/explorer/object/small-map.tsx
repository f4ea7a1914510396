/** A position on a small map. */
import { useQuery } from '@tanstack/react-query'
import { geoEquirectangular, geoPath } from 'd3-geo'
import { loadWorld, OUTLINES } from '../map/world.ts'

const WIDTH = 320
const HEIGHT = 180
/** Degrees of longitude that the map shows: enough to recognise a continent. */
const SPAN = 70

export interface SmallMapProps {
  readonly longitude: number
  readonly latitude: number
  readonly label: string
}

export function SmallMap({ longitude, latitude, label }: SmallMapProps) {
  const { data: world } = useQuery({
    queryKey: ['world'],
    queryFn: loadWorld,
    ...OUTLINES,
  })
  const projection = geoEquirectangular()
    .rotate([-longitude, 0])
    .center([0, latitude])
    .scale((WIDTH / SPAN) * (180 / Math.PI))
    .translate([WIDTH / 2, HEIGHT / 2])
    .clipExtent([
      [-1, -1],
      [WIDTH + 1, HEIGHT + 1],
    ])
  const path = geoPath(projection)
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="block w-full border border-line rounded-lg [background:light-dark(#eaf0f6,#15181d)]"
      role="img"
      aria-label={`Map: ${label}`}
    >
      {world !== undefined && (
        <>
          <path
            d={path(world.land) ?? ''}
            className="[fill:light-dark(#fdfdfc,#282b31)] [stroke:light-dark(#c4ccd4,#3c4047)] stroke-[0.8]"
          />
          <path
            d={path(world.borders) ?? ''}
            className="fill-none [stroke:light-dark(#dde2e7,#363a41)] stroke-[0.6]"
          />
        </>
      )}
      <circle cx={WIDTH / 2} cy={HEIGHT / 2} r="11" className="fill-accent opacity-18" />
      <circle
        cx={WIDTH / 2}
        cy={HEIGHT / 2}
        r="4.5"
        className="fill-accent stroke-panel stroke-[1.5]"
      />
    </svg>
  )
}
