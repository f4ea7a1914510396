import { CopyButton } from '../ui/copy-button.tsx'
import styles from './admin.module.css'

export interface ShownValue {
  readonly name: string
  readonly value: string
  /** True if it cannot be shown again. */
  readonly isSecret: boolean
}

/** Shows what was created, to copy it. */
export function Secrets({ values }: { readonly values: readonly ShownValue[] }) {
  return (
    <>
      {values.some(({ isSecret }) => isSecret) && (
        <p className={styles.once}>
          Copy the secret now. The service keeps only a hash of it and cannot show it again.
        </p>
      )}
      {values.map(({ name, value }) => (
        <div key={name} className={styles.secret}>
          <span className="label">{name}</span>
          <code className="mono">{value}</code>
          <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
        </div>
      ))}
    </>
  )
}
