/** The frame of every screen: header, sign-in, and the place where the screen goes. */
import { Outlet } from '@tanstack/react-router'
import { UndoBar } from '../edit/undo-bar.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { useSession } from './session.tsx'
import styles from './shell.module.css'
import { SignIn } from './sign-in.tsx'

export function Shell() {
  const { isSignedIn, isStarting } = useSession()
  return (
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
        {isSignedIn && <UndoBar />}
        <Help />
      </main>
    </div>
  )
}
