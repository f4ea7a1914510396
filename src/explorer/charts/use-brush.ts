/** The range of bars that is being chosen, by pointer or by keys. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react'
import type { Filter } from '../view/view-state.ts'

interface Brushed {
  /** The filters that select the objects of a bar. */
  readonly filters?: readonly Filter[] | undefined
}

interface BrushScale {
  /** The width of the chart, in its own units. */
  readonly width: number
  /** The width of a bar, with its gap. */
  readonly slot: number
  /** The left edge of the first bar. */
  readonly left: number
}

export function useBrush(
  svg: RefObject<SVGSVGElement | null>,
  bars: readonly Brushed[],
  { width, slot, left }: BrushScale,
  onChoose: (filters: readonly Filter[]) => void,
) {
  const [brush, setBrush] = useState<readonly [from: number, to: number]>()
  const [active, setActive] = useState(0)
  const barAt = ({ clientX }: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect()
    const x = box === undefined ? 0 : ((clientX - box.left) / box.width) * width
    return clamp(Math.floor((x - left) / slot), bars.length)
  }
  const choose = ([from, to]: readonly [number, number]) => {
    const [first, last] = from < to ? [from, to] : [to, from]
    const start = bars[first]?.filters ?? []
    const end = bars[last]?.filters ?? []
    setBrush(undefined)
    if (first === last) onChoose(start)
    else {
      const lower = start.filter(({ operator }) => operator === 'gte')
      onChoose([...lower, ...end.filter(({ operator }) => operator === 'lt')])
    }
  }
  const moveTo = (index: number, isExtended: boolean) => {
    const next = clamp(index, bars.length)
    setBrush(isExtended ? [brush?.[0] ?? active, next] : undefined)
    setActive(next)
    svg.current?.querySelector<SVGElement>(`[data-bar="${next}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: active - 1,
      ArrowRight: active + 1,
      Home: 0,
      End: bars.length - 1,
    }
    const target = targets[event.key]
    if (target !== undefined) moveTo(target, event.shiftKey)
    else if (event.key === 'Enter' || event.key === ' ') choose(brush ?? [active, active])
    else if (event.key === 'Escape' && brush !== undefined) setBrush(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const handlers = {
    onKeyDown,
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setBrush([barAt(event), barAt(event)])
    },
    onPointerMove: (event: PointerEvent) => {
      if (brush !== undefined && event.buttons > 0) setBrush([brush[0], barAt(event)])
    },
    onPointerUp: (event: PointerEvent) => brush !== undefined && choose([brush[0], barAt(event)]),
    onPointerCancel: () => setBrush(undefined),
  }
  const isBrushed = (index: number) =>
    brush !== undefined && index >= Math.min(...brush) && index <= Math.max(...brush)
  return { active, setActive, isBrushed, handlers }
}

export function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}
