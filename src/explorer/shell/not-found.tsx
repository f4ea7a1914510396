import { Link } from '@tanstack/react-router'
import styles from './shell.module.css'

export function NotFound() {
  return (
    <p className={styles.note}>
      There is nothing at this address. <Link to="/">See what there is.</Link>
    </p>
  )
}
