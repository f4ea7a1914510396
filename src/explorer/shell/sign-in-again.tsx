import { useEffect, useRef } from 'react'
import styles from './shell.module.css'
import { SignIn } from './sign-in.tsx'

/** Asks for a token over the screen, so that what was read stays in view. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} className={styles.again} aria-label="Sign in again">
      <p className={styles.hint}>
        The service no longer accepts the token: it has expired or was revoked. What was read stays
        on the screen.
      </p>
      <SignIn />
    </dialog>
  )
}
