import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { meQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { useIsAdmin } from '../session/use-writes.ts'
import { useActions } from '../ui/actions.tsx'
import { Button, Icon } from '../ui/controls.tsx'
import { OPEN_PALETTE } from './palette.tsx'

export function Header() {
  const { isSignedIn, isViewOnly } = useSession()
  return (
    <header className="flex items-center gap-4 h-12 py-0 px-4 border-b border-b-line bg-panel whitespace-nowrap max-[480px]:gap-1 max-[480px]:py-0 max-[480px]:px-2">
      <Link to="/" className="flex items-center gap-2 text-ink font-semibold">
        <Icon name="objects" />
        Objects
      </Link>
      {isSignedIn && !isViewOnly && (
        <Button
          kind="quiet"
          className="text-muted"
          onClick={() => dispatchEvent(new Event(OPEN_PALETTE))}
        >
          <Icon name="search" size={14} /> Find{' '}
          <kbd className="mono max-[480px]:hidden pointer-coarse:hidden">Ctrl K</kbd>
        </Button>
      )}
      <span className="flex-1" />
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
    <Link to="/admin" className="text-ink text-base aria-[current=page]:text-accent">
      Admin
    </Link>
  )
}

function Caller() {
  const { service, signOut } = useSession()
  const { data } = useQuery(meQuery(service))
  useActions([{ name: 'Sign out', run: signOut }])
  return (
    <>
      {data && (
        <span className="label max-[480px]:hidden">{describe(data.name, data.expiresAt)}</span>
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

/** Light, dark, or as the system says. */
export type Theme = 'light' | 'dark' | 'system'

const KEY = 'oqs.theme'

export function readTheme(): Theme {
  const saved = localStorage.getItem(KEY)
  return saved === 'light' || saved === 'dark' ? saved : 'system'
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme
  localStorage.setItem(KEY, theme)
}
