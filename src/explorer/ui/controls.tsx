/** Buttons, icons and notes, which every screen has. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'
import { OqsError } from '../../client/oqs-error.ts'
import { messageOf } from '../api/service.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
}

export function Button({ kind = 'plain', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`button ${kind} ${className}`} {...rest} />
}

export interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  readonly icon: IconName
  /** The name for screen readers. */
  readonly label: string
  readonly size?: number
}

/** A button that shows an icon only. */
export function IconButton({ icon, label, size = 14, kind = 'quiet', ...rest }: IconButtonProps) {
  return (
    <Button kind={kind} aria-label={label} {...rest}>
      <Icon name={icon} size={size} />
    </Button>
  )
}

/** Icons as paths on a grid of 24, drawn with the colour of the text. */
const PATHS = {
  objects: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.5 13v7M13 16.5h7',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16.5 16.5 21 21',
  link: 'M9 15 15 9M10 6l2-2a5 5 0 0 1 7 7l-2 2M14 18l-2 2a5 5 0 0 1-7-7l2-2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  map: 'M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14',
  chart: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  time: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4l3 2',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  columns: 'M4 4h16v16H4zM10 4v16M15 4v16',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  next: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12l5 5L20 7',
  more: 'M12 4.5a.5.5 0 1 0 .01 0zM12 11.5a.5.5 0 1 0 .01 0zM12 18.5a.5.5 0 1 0 .01 0z',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4M10 15v4',
  upload: 'M12 20V9M7 13l5-5 5 5M5 4h14',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5',
  width: 'M4 5v14M20 5v14M8 12h8M11 9l-3 3 3 3M13 9l3 3-3 3',
  bookmark: 'M6 4h12v16l-6-4-6 4z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

const SHOWN_MS = 1500

/** Copies a text, and says so for a moment. */
export function CopyButton(props: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(props.text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Button onClick={() => void copy()}>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{isCopied ? 'Copied' : (props.label ?? 'Copy')}</span>
    </Button>
  )
}

/** Says what went wrong, with the names that an operator can look up. */
export function ErrorNote(props: { readonly error: Error; readonly onRetry?: () => void }) {
  const { error, onRetry } = props
  return (
    <div
      role="alert"
      className="grid gap-2 justify-items-start m-4 py-3 px-4 border border-danger rounded-md bg-panel"
    >
      <p>{messageOf(error)}</p>
      {error instanceof OqsError && error.errorInstanceId !== undefined && (
        <p className="mono">
          {error.errorName} · {error.errorInstanceId}
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Says what is wrong with what a person wrote or asked for; nothing without a text. */
export function Mistake({ children }: { readonly children: ReactNode }) {
  return (
    children && (
      <p role="alert" className="mistake">
        {children}
      </p>
    )
  )
}

/** A screen that has nothing to show but a note. Screen readers find the title as its heading. */
export function ScreenNote({ title, children }: { readonly title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="sr-only">{title}</h1>
      {children}
    </>
  )
}

/** A screen that says what there is not, with a way on. */
export function EmptyScreen({ title, children }: { readonly title: string; children: ReactNode }) {
  return (
    <section className="grid gap-3 max-w-140 mx-auto mt-[12vh] mb-0 py-0 px-4 wrap-anywhere">
      <h1>{title}</h1>
      {children}
    </section>
  )
}

/** Takes the place of a view that failed while it was drawn; the rest of the page stays. */
export function ViewError({ error, reset }: ErrorComponentProps) {
  const reason = error instanceof Error ? error.message : String(error)
  const shown = new Error(`This view could not be shown: ${reason}`, { cause: error })
  return <ErrorNote error={shown} onRetry={reset} />
}
