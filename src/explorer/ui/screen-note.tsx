import type { ReactNode } from 'react'

export interface ScreenNoteProps {
  /** The name of the screen, which screen readers find as its heading. */
  readonly title: string
  readonly children: ReactNode
}

/** A screen that has nothing to show but a note. */
export function ScreenNote({ title, children }: ScreenNoteProps) {
  return (
    <>
      <h1 className="visually-hidden">{title}</h1>
      {children}
    </>
  )
}
