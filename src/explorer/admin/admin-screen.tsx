/** The frame of the administration screens; only for callers with the admin scope. */

import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useIsAdmin } from '../session/use-writes.ts'

const TAB =
  'py-2 px-3 border-b-2 border-transparent text-muted text-base whitespace-nowrap hover:text-ink hover:no-underline aria-[current=page]:border-accent aria-[current=page]:text-ink aria-[current=page]:font-semibold focus-visible:-outline-offset-2'

export function AdminScreen() {
  const isAdmin = useIsAdmin()
  if (isAdmin === undefined)
    return <p className="text-muted text-base leading-5 py-12 px-6">Reading your rights…</p>
  if (!isAdmin) {
    return (
      <section className="grid gap-2 max-w-140 mx-auto mt-[12vh] mb-0 py-0 px-4">
        <h1>This needs a token that may administer</h1>
        <p>
          Sign in with one that has the scope <code className="mono">api:admin</code> and is not
          limited to ontologies. <Link to="/">See the objects instead.</Link>
        </p>
      </section>
    )
  }
  return (
    <div className="grid content-start gap-6 max-w-300 my-0 mx-auto px-4 pt-4 pb-16">
      <nav
        className="flex gap-1 overflow-x-auto border-b border-b-line"
        aria-label="Administration"
      >
        <Link to="/admin" className={TAB} activeOptions={{ exact: true }}>
          Service
        </Link>
        <Link to="/admin/tokens" className={TAB}>
          API tokens
        </Link>
        <Link to="/admin/clients" className={TAB}>
          OAuth clients
        </Link>
      </nav>
      <Outlet />
    </div>
  )
}

export function AdminHead(props: { readonly title: string; readonly children: ReactNode }) {
  const { title, children } = props
  return (
    <header className="flex flex-wrap items-center gap-y-2 gap-x-3 min-h-8">
      <h1>{title}</h1>
      {children}
    </header>
  )
}
