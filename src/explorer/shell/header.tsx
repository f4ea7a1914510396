import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { meQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { useIsAdmin } from '../session/use-rights.ts'
import { useActions } from '../ui/actions.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { OPEN_PALETTE } from './palette.tsx'
import styles from './shell.module.css'
import { applyTheme, readTheme, type Theme } from './theme.ts'

export function Header() {
  const { isSignedIn } = useSession()
  return (
    <header className={styles.header}>
      <Link to="/" className={styles.brand ?? ''}>
        <Icon name="objects" />
        Objects
      </Link>
      {isSignedIn && (
        <Button
          kind="quiet"
          className={styles.find ?? ''}
          onClick={() => dispatchEvent(new Event(OPEN_PALETTE))}
        >
          <Icon name="search" size={14} /> Find <kbd className="mono">Ctrl K</kbd>
        </Button>
      )}
      <span className={styles.spacer} />
      {isSignedIn && <AdminLink />}
      {isSignedIn && <Caller />}
      <ThemeButton />
    </header>
  )
}

function AdminLink() {
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  useActions(
    isAdmin
      ? [
          { name: 'Service health', run: () => void navigate({ to: '/admin' }) },
          { name: 'API tokens', run: () => void navigate({ to: '/admin/tokens' }) },
          { name: 'OAuth clients', run: () => void navigate({ to: '/admin/clients' }) },
        ]
      : [],
  )
  if (!isAdmin) return null
  return (
    <Link to="/admin" className={styles.admin ?? ''}>
      Admin
    </Link>
  )
}

function Caller() {
  const { service, signOut, isRenewed } = useSession()
  const { data } = useQuery(meQuery(service))
  useActions([{ name: 'Sign out', run: signOut }])
  return (
    <>
      {data && (
        <span className={`label ${styles.caller}`}>
          {describe(data.name, isRenewed ? undefined : data.expiresAt)}
        </span>
      )}
      <Button kind="quiet" onClick={signOut}>
        Sign out
      </Button>
    </>
  )
}

function describe(name: string, expiresAt: string | undefined): string {
  if (expiresAt === undefined) return name
  const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000
  const left = hours < 1 ? `${Math.max(0, Math.round(60 * hours))} min` : `${Math.round(hours)} h`
  return `${name} · ${left} left`
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const change = () => {
    applyTheme(NEXT[theme])
    setTheme(NEXT[theme])
  }
  useActions([{ name: `Change the theme to ${NEXT[theme]}`, run: change }])
  return (
    <Button kind="quiet" onClick={change} aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`}>
      <Icon name="theme" />
    </Button>
  )
}
