/** The frame of every screen: header, sign-in, and the place where the screen goes. */
import { useQueryClient } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { UndoBar } from '../edit/undo-bar.tsx'
import { LoadArea } from '../load/load-area.tsx'
import { useSession } from '../session/session.tsx'
import { ActionsProvider } from '../ui/actions.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import styles from './shell.module.css'
import { SignIn } from './sign-in.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export function Shell() {
  const { isSignedIn, isStarting, isRefused } = useSession()
  useFreshAnswers()
  return (
    <ActionsProvider>
      <div className={styles.frame}>
        <a className={styles.skip} href="#main">
          Skip to the content
        </a>
        <Header />
        <main id="main" className={styles.main}>
          {isStarting ? (
            <p className={styles.note}>Signing in…</p>
          ) : isSignedIn ? (
            <Outlet />
          ) : (
            <SignIn />
          )}
          {isSignedIn && <Palette />}
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
