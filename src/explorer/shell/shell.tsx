/** The frame of every screen: header, sign-in, and the place where the screen goes. */

import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { UndoBar } from '../edit/edit-actions.tsx'
import { LoadArea } from '../load/load-area.tsx'
import { useSession } from '../session/session.tsx'
import { ActionsProvider } from '../ui/actions.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { SignIn, SignInAgain } from './sign-in.tsx'

export function Shell() {
  const { isSignedIn, isViewOnly, isStarting, isRefused } = useSession()
  useFreshAnswers()
  return (
    <ActionsProvider>
      <div className="flex flex-col h-full">
        <a
          className="absolute left-2 -top-12 py-2 px-3 rounded-md bg-panel z-10 focus:top-2"
          href="#main"
        >
          Skip to the content
        </a>
        <Header />
        <main id="main" className="flex-1 min-h-0 overflow-auto">
          {isStarting ? (
            <p className="py-12 px-6 text-muted">Signing in…</p>
          ) : isSignedIn ? (
            <Outlet />
          ) : (
            <SignIn />
          )}
          {isSignedIn && !isViewOnly && <Palette />}
          {isSignedIn && isRefused && <SignInAgain />}
          {isSignedIn && <UndoBar />}
          {isSignedIn && <LoadArea />}
          <Help />
        </main>
      </div>
    </ActionsProvider>
  )
}

/**
 * Reads all data again after another sign-in, and drops it after signing out: it belongs to one
 * person.
 */
function useFreshAnswers(): void {
  const { service, isSignedIn } = useSession()
  const client = useQueryClient()
  const last = useRef(service)
  useEffect(() => {
    if (last.current === service) return
    last.current = service
    if (isSignedIn) void client.invalidateQueries()
    else client.clear()
  }, [service, isSignedIn, client])
}

export function NotFound() {
  return (
    <p className="py-12 px-6 text-muted">
      There is nothing at this address. <Link to="/">See what there is.</Link>
    </p>
  )
}
