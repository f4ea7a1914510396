/** The session of the browser, or the read-only link of the tab, for all screens. */
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { messageOf, openService, type Service } from '../api/service.ts'
import {
  authenticationOf,
  endSignIn,
  listenForSignIns,
  readSignIn,
  type SignIn,
  startSession,
  takeCode,
  takeLink,
} from './sign-in.ts'

export interface Session {
  /** Another object for each sign-in. */
  readonly service: Service
  /** The same for requests that nobody asked for: if one is refused, the reader is left in peace. */
  readonly background: Service
  readonly isSignedIn: boolean
  /** True if the service no longer accepts the sign-in. What was read stays on the screen. */
  readonly isRefused: boolean
  /** True until the one-time code in the address has been exchanged for a session. */
  readonly isStarting: boolean
  /** Why the one-time code was not accepted. */
  readonly startError: string | undefined
  /** True if a read-only link opened the tab: it shows one view, and leads nowhere else. */
  readonly isViewOnly: boolean
  /** Starts a session for all tabs. Rejects if the service does not accept the token. */
  readonly signIn: (token: string) => Promise<void>
  readonly signOut: () => void
}

/** Takes what signs in out of the address, before anything is shown. Returns a one-time code. */
export function takeArrival(): string | undefined {
  takeLink()
  return takeCode()
}

const SessionContext = createContext<Session | undefined>(undefined)

export function SessionProvider({
  code,
  children,
}: {
  /** The one-time code of the address. */
  readonly code: string | undefined
  readonly children: ReactNode
}) {
  const { signIn, change } = useSignIn()
  const [refused, setRefused] = useState<SignIn>()
  const { isStarting, startError, forgetError } = useArrival(code, change)
  const service = useMemo(
    () => openService({ ...authenticationOf(signIn), onRefused: () => setRefused(signIn) }),
    [signIn],
  )
  const background = useMemo(() => openService(authenticationOf(signIn)), [signIn])
  // It is rendered for its own state only, so that there is nothing to memoise.
  const session: Session = {
    service,
    background,
    isSignedIn: signIn !== undefined,
    // A late answer to an earlier sign-in says nothing about this one.
    isRefused: signIn !== undefined && refused === signIn,
    isStarting,
    startError,
    isViewOnly: signIn !== undefined && 'link' in signIn,
    signIn: async (token) => {
      change(await startSession({ token }))
      forgetError()
    },
    signOut: () => {
      // Nobody can wait for it: without its mark, the tab is signed out either way.
      if (signIn !== undefined) endSignIn(signIn).catch(() => {})
      change(undefined)
      forgetError()
    },
  }
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The sign-in of this tab, which follows that of other tabs. */
function useSignIn() {
  const [signIn, change] = useState(readSignIn)
  useEffect(() => listenForSignIns(() => change(readSignIn())), [])
  return { signIn, change }
}

/** Exchanges the code that came with the address, once. */
function useArrival(code: string | undefined, change: (signIn: SignIn) => void) {
  const [isStarting, setStarting] = useState(code !== undefined)
  const [startError, setStartError] = useState<string>()
  const isTaken = useRef(false)
  useEffect(() => {
    if (isTaken.current || code === undefined) return
    isTaken.current = true
    startSession({ code })
      .then(change)
      .catch((error: unknown) => setStartError(messageOf(error)))
      .finally(() => setStarting(false))
  }, [code, change])
  return { isStarting, startError, forgetError: useCallback(() => setStartError(undefined), []) }
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('There is no session around this component.')
  return session
}
