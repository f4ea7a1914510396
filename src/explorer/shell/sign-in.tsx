import { useId, useState } from 'react'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/controls.tsx'
import { DialogFrame } from '../ui/dialog.tsx'
import { submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'

/** Asks for a bearer token, and starts a session with it. */
export function SignIn() {
  const { signIn, startError } = useSession()
  const [token, setToken] = useState('')
  const { run, isBusy, error } = useTask()
  const field = useId()
  const submit = async () => {
    await signIn(token.trim())
  }
  return (
    <section
      className="max-w-110 mx-auto mt-[12vh] mb-0 p-6 border border-line rounded-lg bg-panel max-[480px]:m-4 in-[.sign-in-again]:max-w-none in-[.sign-in-again]:m-0 in-[.sign-in-again]:px-4 in-[.sign-in-again]:pt-3 in-[.sign-in-again]:pb-4 in-[.sign-in-again]:border-0"
      aria-labelledby={`${field}-title`}
    >
      <h1 id={`${field}-title`}>Sign in</h1>
      {startError !== undefined && (
        <p role="alert" className="mt-3 warning">
          {startError}
        </p>
      )}
      <p className="mt-2 text-muted text-base leading-5">
        Paste a token of this service. <code className="mono">npm start</code> prints one;{' '}
        <code className="mono">npx oqs token create</code> makes one.{' '}
        <code className="mono">npx oqs open</code> prints a link that signs in without one.
      </p>
      <form className="grid gap-3 mt-4" onSubmit={submits(() => run(submit))}>
        <TextField
          label="Token"
          type="password"
          spellCheck={false}
          value={token}
          onChange={setToken}
          error={error && messageOf(error)}
        />
        <Button kind="primary" type="submit" disabled={isBusy || token.trim() === ''}>
          {isBusy ? 'Checking…' : 'Sign in'}
        </Button>
      </form>
      <p className="mt-2 text-muted text-base leading-5">
        All tabs of this browser are signed in then, until you sign out or the token ends. Pages
        cannot read the token.
      </p>
    </section>
  )
}

/** Asks for a token over the screen, so that what was read stays in view. */
export function SignInAgain() {
  return (
    <DialogFrame label="Sign in again" width={480} className="sign-in-again" onClose={() => {}}>
      <p className="mt-4 mx-4 text-muted text-base leading-5">
        The service no longer accepts the token: it has expired or was revoked. What was read stays
        on the screen.
      </p>
      <SignIn />
    </DialogFrame>
  )
}
