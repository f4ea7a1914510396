import { DialogFrame } from '../ui/dialog.tsx'
import { SignIn } from './sign-in.tsx'

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
