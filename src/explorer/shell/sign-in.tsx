import { type FormEvent, useId, useState } from 'react'
import { messageOf, openService } from '../api/service.ts'
import { canUseOAuth, startOAuth } from '../session/oauth.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import styles from './shell.module.css'

/** Asks for a bearer token, and checks it before it is kept; or leads to the sign-in page. */
export function SignIn() {
  const { signIn, startError } = useSession()
  const [token, setToken] = useState('')
  const [error, setError] = useState<string>()
  const [isChecking, setChecking] = useState(false)
  const field = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setChecking(true)
    setError(undefined)
    try {
      const written = token.trim()
      // Needs a valid token, but no particular scope.
      await openService({ token: written }).administration.getCaller()
      signIn(written)
    } catch (reason) {
      setError(messageOf(reason))
    } finally {
      setChecking(false)
    }
  }
  return (
    <section className={styles.signIn} aria-labelledby={`${field}-title`}>
      <h1 id={`${field}-title`}>Sign in</h1>
      {startError !== undefined && (
        <p role="alert" className={styles.problem}>
          {startError}
        </p>
      )}
      <p className={styles.hint}>
        Paste a token of this service. <code className="mono">npm start</code> prints one;{' '}
        <code className="mono">npx oqs token create</code> makes one.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={setToken}
          error={error}
        />
        <Button kind="primary" type="submit" disabled={isChecking || token.trim() === ''}>
          {isChecking ? 'Checking…' : 'Sign in'}
        </Button>
      </form>
      <p className={styles.hint}>The token stays in this tab and is gone when you close it.</p>
      {canUseOAuth() && (
        <>
          <p className={styles.or}>or</p>
          <Button className={styles.wide} onClick={() => void startOAuth()}>
            Use the sign-in page (OAuth)
          </Button>
          <p className={styles.hint}>
            You enter your API token there. This tab gets access in its name for an hour at a time,
            and signing out ends it.
          </p>
        </>
      )}
    </section>
  )
}
