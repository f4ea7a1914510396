/** The land and the borders of a part of the world, in drawings that do not move. */
import { geoEquirectangular, geoPath } from 'd3-geo'
import { useMemo } from 'react'
import type { Camera, Point } from './camera.ts'
import { useWorld } from './world.ts'

export interface OutlinesProps {
  readonly camera: Camera
  readonly size: Point
}

export function Outlines({ camera, size }: OutlinesProps) {
  const [width, height] = size
  const { longitude, latitude, scale } = camera
  const world = useWorld(scale)
  const paths = useMemo(() => {
    const projection = geoEquirectangular()
      // What is beyond the end of the world on one side comes back on the other.
      .rotate([-longitude, 0])
      .center([0, latitude])
      .scale((scale * 180) / Math.PI)
      .translate([width / 2, height / 2])
      .precision(0)
      .clipExtent([
        [-1, -1],
        [width + 1, height + 1],
      ])
    const path = geoPath(projection).digits(1)
    return world && { land: path(world.land) ?? '', borders: path(world.borders) ?? '' }
  }, [world, width, height, longitude, latitude, scale])
  return (
    <>
      <rect width={width} height={height} className="[fill:light-dark(#eaf0f6,#15181d)]" />
      <path
        d={paths?.land ?? ''}
        className="[fill:light-dark(#fdfdfc,#282b31)] [stroke:light-dark(#c4ccd4,#3c4047)] stroke-[0.8]"
      />
      <path
        d={paths?.borders ?? ''}
        className="fill-none [stroke:light-dark(#dde2e7,#363a41)] stroke-[0.6]"
      />
    </>
  )
}
