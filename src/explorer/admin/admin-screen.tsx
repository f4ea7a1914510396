/** The frame of the administration screens; only for callers with the admin scope. */
import { Link, Outlet } from '@tanstack/react-router'
import { useIsAdmin } from '../session/use-rights.ts'
import styles from './admin.module.css'

export function AdminScreen() {
  const isAdmin = useIsAdmin()
  if (isAdmin === undefined) return <p className={styles.wait}>Reading your rights…</p>
  if (!isAdmin) {
    return (
      <section className={styles.denied}>
        <h1>This needs a token that may administer</h1>
        <p>
          Sign in with one that has the scope <code className="mono">api:admin</code> and is not
          limited to ontologies. <Link to="/">See the objects instead.</Link>
        </p>
      </section>
    )
  }
  return (
    <div className={styles.screen}>
      <nav className={styles.tabs} aria-label="Administration">
        <Link to="/admin" activeOptions={{ exact: true }}>
          Service
        </Link>
        <Link to="/admin/tokens">API tokens</Link>
        <Link to="/admin/clients">OAuth clients</Link>
      </nav>
      <Outlet />
    </div>
  )
}
