/**
 * A button that opens a panel. It uses the popover of the browser, so that the panel is in the top
 * layer, closes on Escape, and needs no library.
 */
import { type ReactNode, type ToggleEvent, useCallback, useId, useRef, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

export interface PopupProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  readonly label: ReactNode
  /** The name of the panel for screen readers. */
  readonly panelLabel: string
  readonly children: (close: () => void) => ReactNode
}

const GAP = 4

export function Popup({ label, panelLabel, children, ...button }: PopupProps) {
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLSpanElement>(null)
  // The content is rendered when the popup opens: a table has a panel for each column.
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => panel.current?.hidePopover(), [])
  const place = () => {
    const box = trigger.current?.getBoundingClientRect()
    if (box === undefined || panel.current === null) return
    const { offsetWidth } = panel.current
    const left = Math.max(GAP, Math.min(box.left, innerWidth - offsetWidth - GAP))
    panel.current.style.left = `${left}px`
    const { offsetHeight } = panel.current
    const below = box.bottom + GAP
    const isTooLow = below + offsetHeight > innerHeight && box.top > offsetHeight
    panel.current.style.top = `${isTooLow ? box.top - GAP - offsetHeight : below}px`
  }
  const onBeforeToggle = ({ newState }: ToggleEvent) => setOpen(newState === 'open')
  return (
    <>
      <span ref={trigger}>
        <Button {...button} popoverTarget={id} aria-haspopup="dialog">
          {label}
        </Button>
      </span>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={panelLabel}
        className="fixed inset-auto m-0 p-3 border border-line rounded-lg bg-panel text-ink shadow-lg"
        onBeforeToggle={onBeforeToggle}
        onToggle={place}
      >
        {isOpen && children(close)}
      </div>
    </>
  )
}
