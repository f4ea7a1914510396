/** A small picture of a type: where its objects are, when, or which values are frequent. */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { loadPart } from '../api/load-part.ts'
import { nameOfProperty } from '../api/ontology.ts'
import { cubeQuery } from '../charts/cube.ts'
import { LOGARITHMIC } from '../charts/range-axis.ts'
import type { Grid } from '../map/camera.ts'
import { geoCellsQuery } from '../map/geo-cells.ts'
import { loadWorld, OUTLINES } from '../map/world.ts'
import { useSession } from '../session/session.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import type { ShownType, TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { MAP_HEIGHT, MAP_WIDTH, tiersOf } from './mini-map.ts'
import { pictureOf } from './picture-of.ts'

/** Asks for nothing until it is on the screen: a service may have hundreds of types. */
export function MiniPicture({ ontology, objectType }: ShownType) {
  const frame = useRef<HTMLSpanElement>(null)
  const [isSeen, setSeen] = useState(false)
  const choice = pictureOf({ ontology, objectType })
  const Picture = choice?.kind === 'map' ? MiniMap : MiniBars
  const of = { ontology, objectType, view: EMPTY_VIEW }
  useEffect(() => {
    if (frame.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  return (
    <span
      ref={frame}
      className="relative flex flex-col justify-end h-28 overflow-hidden rounded-md bg-bg group-hover:bg-accent-bg in-[.few-cards]:h-[clamp(140px,calc(50vh-210px),280px)] in-[.few-cards]:max-[700px]:h-37.5"
    >
      {isSeen && choice !== undefined && <Picture of={of} property={choice.property} />}
    </span>
  )
}

interface PartProps {
  readonly of: TypeView
  readonly property: string
}

const STALE_MS = 60_000
/** Coarse enough for a card. */
const WORLD: Grid = { box: [-180, -90, 180, 90], columns: 120, rows: 60 }

const drawLand = async () => {
  const [{ landPath }, { land }] = await Promise.all([
    loadPart(() => import('./land-path.ts')),
    loadWorld(),
  ])
  return landPath(land)
}

function MiniMap({ of, property }: PartProps) {
  const { service } = useSession()
  const land = useQuery({ queryKey: ['mini land'], queryFn: drawLand, ...OUTLINES })
  const { data: cells = [] } = useQuery({
    ...geoCellsQuery(service, of, property, WORLD),
    staleTime: STALE_MS,
  })
  return (
    <svg
      className="w-full h-full"
      viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
      aria-hidden="true"
      focusable="false"
    >
      <path d={land.data ?? ''} className="fill-line" />
      {tiersOf(cells).map(({ opacity, path }) => (
        <path
          key={opacity}
          d={path}
          strokeOpacity={opacity}
          className="fill-none stroke-accent stroke-[1.6] [stroke-linecap:round]"
        />
      ))}
    </svg>
  )
}

function MiniBars({ of, property }: PartProps) {
  const { service } = useSession()
  const chart = { ...DEFAULT_CHART, by: [{ path: property, step: undefined }], top: ROWS }
  const { data } = useQuery({ ...cubeQuery(service, of, chart, 0), staleTime: STALE_MS })
  const [axis] = data?.axes ?? []
  if (data === undefined || axis === undefined) return null
  const hasRest = axis.buckets.some(({ kind }) => kind === 'rest')
  // Texts that all differ tell nothing.
  const areDifferent = hasRest && data.valueAt(0) === 1
  const bars = axis.buckets.flatMap(({ label, kind }, row): Bar[] =>
    kind === 'value' && !areDifferent ? [{ label, count: Number(data.valueAt(row)) }] : [],
  )
  const name = nameOfProperty(property, of.objectType.properties[property])
  return (
    <>
      {axis.kind === 'values' ? <Rows bars={bars} /> : <Upright bars={bars} />}
      <span className="absolute top-1.5 left-2 text-muted text-xs leading-4">
        {name}
        {axis.note === LOGARITHMIC && ' · logarithmic scale'}
      </span>
    </>
  )
}

interface Bar {
  readonly label: string
  readonly count: number
}

const HEIGHT = 56
const WIDTH = 200

function Upright({ bars }: { readonly bars: readonly Bar[] }) {
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1)
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="w-full h-18 in-[.few-cards]:h-[72%]"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {bars.map(({ label, count }, index) => (
        <rect
          key={label}
          x={index * step}
          y={HEIGHT - (HEIGHT * count) / most}
          width={Math.max(0.5, step - 1)}
          height={(HEIGHT * count) / most}
          className="fill-accent opacity-75"
        />
      ))}
    </svg>
  )
}

const ROWS = 3

function Rows({ bars }: { readonly bars: readonly Bar[] }) {
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1)
  return (
    <span className="grid gap-1 px-2 pt-0 pb-2 text-ink text-sm leading-4.5">
      {bars.map(({ label, count }) => (
        <span key={label} className="relative block px-1.5 truncate">
          <i
            className="absolute inset-y-0 left-0 rounded-[3px] bg-accent-bg"
            style={{ width: `${(100 * count) / most}%` }}
          />
          <span className="relative">{label}</span>
        </span>
      ))}
    </span>
  )
}
