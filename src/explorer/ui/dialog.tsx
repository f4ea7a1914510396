/** Dialogs and popups, over the elements of the browser. */
import {
  type ReactNode,
  type Ref,
  type ToggleEvent,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Button, type ButtonProps, ErrorNote } from './controls.tsx'
import { useListener } from './hooks.ts'

export interface DialogFrameProps {
  /** The name for screen readers. */
  readonly label: string
  /** In pixels, if the screen is as wide. */
  readonly width: number
  /** Called when the dialog is to be closed; the caller then no longer renders it. */
  readonly onClose: () => void
  /** Called in place of `onClose` when Escape is pressed. */
  readonly onEscape?: (() => void) | undefined
  /** Whether a press beside the dialog closes it. */
  readonly closesOutside?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}

/**
 * A modal dialog that is open for as long as it is rendered. The element of the browser keeps the
 * focus inside and everything else out of reach.
 */
export function DialogFrame(props: DialogFrameProps) {
  const { label, width, onClose, onEscape, closesOutside = false, className = '' } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // A dialog that is removed leaves the focus nowhere.
    return () => {
      const isFree = document.activeElement === document.body
      if (isFree && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [])
  // Wherever the focus is: a button that replaced its own row of buttons leaves it on the page.
  useListener('keydown', (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || onEscape === undefined || isAbove(event, dialog.current)) return
    event.preventDefault()
    onEscape()
  })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      className={`max-h-[calc(100vh-48px)] p-0 border border-line rounded-lg bg-panel text-ink shadow-[0_16px_48px_rgb(0_0_0/28%)] backdrop:bg-[rgb(0_0_0/40%)] ${className}`}
      style={{ width: `min(${width}px, calc(100vw - 24px))` }}
      aria-label={label}
      closedby={onEscape === undefined ? 'closerequest' : 'none'}
      onClose={onClose}
      onClick={({ target }) => closesOutside && target === dialog.current && onClose()}
    >
      {props.children}
    </dialog>
  )
}

/** True if a key belongs to a popup or another dialog over a dialog. */
function isAbove({ target }: KeyboardEvent, dialog: Element | null): boolean {
  if (document.querySelector(':popover-open') !== null) return true
  const layer = target instanceof Element ? target.closest('dialog') : null
  return layer !== null && layer !== dialog
}

const EDGE = 'sticky z-2 flex flex-wrap items-center gap-y-2 gap-x-3 py-3 px-5 bg-panel'

export interface DialogHeadProps {
  readonly title: string
  readonly headingRef?: Ref<HTMLHeadingElement>
  /** Controls at the end of the head. */
  readonly tools?: ReactNode
}

export function DialogHead({ title, headingRef, tools }: DialogHeadProps) {
  return (
    <header className={`${EDGE} top-0 border-b border-b-line`}>
      {/* A dialog gives the focus to the first element that takes it, which should be a field. */}
      <h2
        ref={headingRef}
        tabIndex={headingRef === undefined ? undefined : -1}
        className="truncate text-lg leading-5.5 outline-none"
      >
        {title}
      </h2>
      {tools && <span className="flex-1" />}
      {tools}
    </header>
  )
}

export interface DialogPartsProps {
  /** The buttons at the bottom. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** What stands below the head of a dialog: its body, and its buttons. */
export function DialogParts({ foot, children }: DialogPartsProps) {
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 py-4 px-5">{children}</div>
      {foot && (
        <footer className={`${EDGE} bottom-0 justify-end border-t border-t-line`}>{foot}</footer>
      )}
    </>
  )
}

export interface DialogProps
  extends Omit<DialogFrameProps, 'className' | 'closesOutside'>,
    Pick<DialogHeadProps, 'tools'>,
    DialogPartsProps {
  /** The heading, where it differs from the label. */
  readonly title?: string
  /** Why what the dialog is for has failed. */
  readonly error?: Error | undefined
  /** The button that does what the dialog is for, beside one that cancels. */
  readonly action?: ButtonProps
  /** True if something was typed that nobody has saved: Escape asks before it is lost. */
  readonly isTyped?: boolean
}

/** A dialog with a heading, a body and buttons. */
export function Dialog(props: DialogProps) {
  const { title, tools, foot, error, action, isTyped = false, children, ...frame } = props
  // What had the focus when Escape was pressed.
  const [left, setLeft] = useState<Element | null>()
  const isAsked = isTyped && left !== undefined
  const stay = () => {
    setLeft(undefined)
    if (left instanceof HTMLElement) left.focus()
  }
  const ask = () => setLeft(document.activeElement)
  const onEscape = isAsked ? stay : isTyped ? ask : frame.onEscape
  const buttons = action && (
    <>
      {foot}
      <Button onClick={frame.onClose}>Cancel</Button>
      <Button kind="primary" {...action} />
    </>
  )
  const question = (
    <>
      <span role="alert" className="flex-1 text-base">
        Discard what you have typed?
      </span>
      <Button autoFocus onClick={stay}>
        Keep editing
      </Button>
      <Button kind="danger" onClick={frame.onClose}>
        Discard
      </Button>
    </>
  )
  return (
    <DialogFrame {...frame} onEscape={onEscape}>
      <DialogHead title={title ?? frame.label} tools={tools} />
      <DialogParts foot={isAsked ? question : (buttons ?? foot)}>
        {error && <ErrorNote error={error} />}
        {children}
      </DialogParts>
    </DialogFrame>
  )
}

export interface PopupProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  readonly label: ReactNode
  /** The name of the panel for screen readers. */
  readonly panelLabel: string
  readonly children: (close: () => void) => ReactNode
}

const GAP = 4

/** A button that opens a panel, which is in the top layer and closes on Escape. */
export function Popup({ label, panelLabel, children, ...button }: PopupProps) {
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLSpanElement>(null)
  // The content is rendered when the popup opens: a table has a panel for each column.
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => panel.current?.hidePopover(), [])
  const place = useCallback(() => {
    const box = trigger.current?.getBoundingClientRect()
    if (box === undefined || panel.current === null) return
    const { offsetWidth } = panel.current
    const left = Math.max(GAP, Math.min(box.left, innerWidth - offsetWidth - GAP))
    panel.current.style.left = `${left}px`
    const { offsetHeight } = panel.current
    const below = box.bottom + GAP
    const isTooLow = below + offsetHeight > innerHeight && box.top > offsetHeight
    panel.current.style.top = `${isTooLow ? box.top - GAP - offsetHeight : below}px`
  }, [])
  // Content that is loaded later is wider or higher than the note in its place.
  useEffect(() => {
    if (!isOpen || panel.current === null) return
    // A key may have opened it from elsewhere. Its content may have taken the focus already.
    if (!panel.current.contains(document.activeElement)) panel.current.focus()
    const observer = new ResizeObserver(place)
    observer.observe(panel.current)
    return () => observer.disconnect()
  }, [isOpen, place])
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
        tabIndex={-1}
        // A shadow does not show on a dark screen.
        className="outline-none fixed inset-auto m-0 p-3 border border-[light-dark(var(--color-line),var(--color-edge))] rounded-lg bg-panel text-ink shadow-lg"
        onBeforeToggle={({ newState }: ToggleEvent) => newState === 'open' && setOpen(true)}
        // Not before: the browser returns the focus only from what the panel still contains.
        onToggle={({ newState }: ToggleEvent) => newState === 'closed' && setOpen(false)}
      >
        {isOpen && children(close)}
      </div>
    </>
  )
}
