import type { ReactNode } from 'react'

export interface AdminHeadProps {
  readonly title: string
  readonly children: ReactNode
}

export function AdminHead({ title, children }: AdminHeadProps) {
  return (
    <header className="flex flex-wrap items-center gap-y-2 gap-x-3 min-h-8">
      <h1>{title}</h1>
      {children}
    </header>
  )
}
