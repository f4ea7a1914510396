/** Pointer, wheel and keyboard on a map. */
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useState,
} from 'react'
import type { Box } from '../view/view-state.ts'
import { boxBetween, type Camera, fitBox, type Point, pan, WORLD, zoomAt } from './camera.ts'

/** The effect of dragging; with Shift, the other one. */
export type DragMode = 'box' | 'move'

/** A shorter drag is a press. */
const PRESS = 6
const KEY_PAN = 60
export const ZOOM_STEP = 1.6

export interface MapInput {
  readonly canvas: RefObject<HTMLCanvasElement | null>
  readonly camera: Camera
  readonly size: Point
  readonly mode: DragMode
  readonly setCamera: (change: (camera: Camera) => Camera) => void
  readonly onBox: (box: Box) => void
  readonly onPress: (at: Point) => void
  readonly onHover: (at: Point) => void
}

interface Drag {
  readonly start: Point
  readonly last: Point
  readonly kind: DragMode
}

export function useMapInput(input: MapInput) {
  const { camera, size, mode, setCamera, onBox, onPress, onHover } = input
  const [drag, setDrag] = useState<Drag>()
  useWheelZoom(input)
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const at = pointOf(event)
    const isOther = event.shiftKey
    const kind: DragMode = (mode === 'box') === isOther ? 'move' : 'box'
    setDrag({ start: at, last: at, kind })
  }
  const onPointerMove = (event: PointerEvent) => {
    const at = pointOf(event)
    if (drag === undefined) return onHover(at)
    if (drag.kind === 'move') {
      const by: Point = [at[0] - drag.last[0], at[1] - drag.last[1]]
      setCamera((current) => pan(current, size, by))
    }
    setDrag({ ...drag, last: at })
  }
  const onPointerUp = (event: PointerEvent) => {
    if (drag === undefined) return
    setDrag(undefined)
    const at = pointOf(event)
    const moved = at.map((value, axis) => Math.abs(value - (drag.start[axis] ?? 0)))
    if (moved.every((pixels) => pixels < PRESS)) onPress(at)
    else if (drag.kind === 'box' && moved.every((pixels) => pixels >= PRESS)) {
      onBox(boxBetween(camera, size, drag.start, at))
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const middle: Point = [size[0] / 2, size[1] / 2]
    const moves: Readonly<Record<string, (current: Camera) => Camera>> = {
      ArrowLeft: (current) => pan(current, size, [KEY_PAN, 0]),
      ArrowRight: (current) => pan(current, size, [-KEY_PAN, 0]),
      ArrowUp: (current) => pan(current, size, [0, KEY_PAN]),
      ArrowDown: (current) => pan(current, size, [0, -KEY_PAN]),
      '+': (current) => zoomAt(current, size, middle, ZOOM_STEP),
      '=': (current) => zoomAt(current, size, middle, ZOOM_STEP),
      '-': (current) => zoomAt(current, size, middle, 1 / ZOOM_STEP),
      '0': () => fitBox(WORLD, size),
    }
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setCamera(move)
  }
  const dragged: Box | undefined =
    drag?.kind === 'box' ? boxBetween(camera, size, drag.start, drag.last) : undefined
  const cancel = () => setDrag(undefined)
  return {
    drag: dragged,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: cancel, onKeyDown },
  }
}

function useWheelZoom({ canvas, size, setCamera }: MapInput): void {
  const zoom = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    const at: Point = [event.offsetX, event.offsetY]
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002))
    setCamera((current) => zoomAt(current, size, at, factor))
  })
  useEffect(() => {
    const target = canvas.current
    const listen = (event: WheelEvent) => zoom(event)
    // React listens passively, but the page must not scroll.
    target?.addEventListener('wheel', listen, { passive: false })
    return () => target?.removeEventListener('wheel', listen)
  }, [canvas])
}

function pointOf({ nativeEvent }: PointerEvent): Point {
  return [nativeEvent.offsetX, nativeEvent.offsetY]
}
