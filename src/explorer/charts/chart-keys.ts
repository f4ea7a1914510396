/** Keys and the pointer in a chart: parts are reached one by one, pressed, and brushed. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { Filter } from '../view/view-state.ts'

/** How far each key moves. */
type Steps = Readonly<Record<string, number>>

export const ALONG: Steps = { ArrowLeft: -1, ArrowRight: 1 }

interface PartKeysOptions {
  /** The number of parts. */
  readonly count: number
  readonly steps: Steps
  readonly onPress: (index: number) => void
  readonly onMove?: (to: number, isExtended: boolean) => void
}

/** Arrow keys move the focus from part to part, Home and End to the outer ones; Enter presses one. */
export function usePartKeys({ count, steps, onPress, onMove }: PartKeysOptions) {
  const [chosen, setActive] = useState(0)
  const active = clamp(chosen, count)
  const targetOf = (key: string): number | undefined => {
    const step = steps[key]
    if (step !== undefined) return active + step
    return { Home: 0, End: count - 1 }[key]
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key)
    if (target !== undefined) {
      const next = clamp(target, count)
      onMove?.(next, event.shiftKey)
      event.currentTarget.querySelector<SVGElement>(`[data-part="${next}"]`)?.focus()
    } else if (event.key === 'Enter' || event.key === ' ') onPress(active)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return { active, setActive, onKeyDown }
}

export type PartKeys = Pick<ReturnType<typeof usePartKeys>, 'active' | 'setActive'>

interface BrushScale {
  /** The width of a bar, with its gap. */
  readonly slot: number
  /** The left edge of the first bar. */
  readonly left: number
}

/** The range of bars that is being chosen, by pointer or by keys. */
export function useBrush(
  bars: readonly { readonly filters: readonly Filter[] | undefined }[],
  { slot, left }: BrushScale,
  onChoose: (filters: readonly Filter[]) => void,
) {
  const [brush, setBrush] = useState<readonly [from: number, to: number]>()
  const barAt = ({ clientX, currentTarget }: PointerEvent) => {
    const x = clientX - currentTarget.getBoundingClientRect().left
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
  const keys = usePartKeys({
    count: bars.length,
    steps: ALONG,
    onPress: (index) => choose(brush ?? [index, index]),
    onMove: (to, isExtended) => setBrush(isExtended ? [brush?.[0] ?? keys.active, to] : undefined),
  })
  const handlers = {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || brush === undefined) return keys.onKeyDown(event)
      event.stopPropagation()
      setBrush(undefined)
    },
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
  return { isBrushed, keys, handlers }
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}
