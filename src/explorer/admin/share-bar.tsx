import styles from './admin.module.css'

/** A bar for a share from 0 to 1, which a text beside it states as well. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <svg className={styles.share} aria-hidden="true" focusable="false">
      <rect className={styles.track} width="100%" height="100%" rx="1.5" />
      <rect width={`${100 * share}%`} height="100%" rx="1.5" />
    </svg>
  )
}
