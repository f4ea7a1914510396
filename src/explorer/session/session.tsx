/** The session of the tab, for all screens. */
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
  Credential,
  endSignIn,
  listenForRenewals,
  readSignIn,
  redeemCode,
  renewForAllTabs,
  type SignIn,
  saveSignIn,
  signInOf,
  takeCode,
  takeLink,
} from './credential.ts'
import { exchangeAnswer, type OAuthAnswer, renewTokens, takeAnswer } from './oauth.ts'

export interface Session {
  /** Another object for each sign-in; the same one after a token was renewed. */
  readonly service: Service
  /** The same for requests that nobody asked for: if one is refused, the reader is left in peace. */
  readonly background: Service
  readonly isSignedIn: boolean
  /** True if the service no longer accepts the token. What was read stays on the screen. */
  readonly isRefused: boolean
  /** True until what came with the address has been exchanged for a token. */
  readonly isStarting: boolean
  /** Why what came with the address was not accepted. */
  readonly startError: string | undefined
  /** Returns the token for a request, renewed if it expires soon. */
  readonly readToken: () => Promise<string>
  /** The token, for requests that the user copies. */
  readonly token: string | undefined
  /** True if a read-only link opened the tab: it shows one view, and leads nowhere else. */
  readonly isViewOnly: boolean
  /** True if the token is renewed before it expires. */
  readonly isRenewed: boolean
  readonly signIn: (token: string) => void
  readonly signOut: () => void
}

/** A credential in the address: a one-time code, or the answer of the sign-in page. */
export interface Arrival {
  readonly code: string | undefined
  readonly answer: OAuthAnswer | undefined
}

/** Takes the arrival out of the address, before anything is shown. */
export function takeArrival(): Arrival {
  const link = takeLink()
  // It takes the place of another sign-in of this tab.
  if (link !== undefined) saveSignIn(link)
  return { code: takeCode(), answer: takeAnswer() }
}

const SessionContext = createContext<Session | undefined>(undefined)

export function SessionProvider(props: {
  readonly arrival: Arrival
  readonly children: ReactNode
}) {
  const { credential, token, change } = useCredential()
  const [refused, setRefused] = useState<Credential>()
  const { isStarting, startError, forgetError } = useArrival(props.arrival, change)
  const readToken = useCallback(async () => (await credential?.readToken()) ?? '', [credential])
  const service = useMemo(
    () => openService(credential && { token: readToken, onRefused: () => setRefused(credential) }),
    [credential, readToken],
  )
  const background = useMemo(
    () => openService(credential && { token: readToken }),
    [credential, readToken],
  )
  // It is rendered for its own state only, so that there is nothing to memoise.
  const session: Session = {
    service,
    background,
    isSignedIn: credential !== undefined,
    // A late answer to an earlier sign-in says nothing about this one.
    isRefused: credential !== undefined && refused === credential,
    isStarting,
    startError,
    readToken,
    token,
    isViewOnly: credential?.signIn.origin === 'view',
    isRenewed: credential?.signIn.renewal !== undefined,
    signIn: (typed) => {
      change({ token: typed, origin: 'typed' })
      forgetError()
    },
    signOut: () => {
      // Nobody can wait for it: without its tokens, the tab is signed out either way.
      if (credential !== undefined) endSignIn(credential.signIn).catch(() => {})
      change(undefined)
      forgetError()
    },
  }
  return <SessionContext value={session}>{props.children}</SessionContext>
}

/** The sign-in of this tab, and its token, which changes when it is renewed. */
function useCredential() {
  const [token, setToken] = useState(() => readSignIn()?.token)
  const current = useRef<Credential>(undefined)
  const toCredential = useCallback(
    (signIn: SignIn): Credential =>
      new Credential(signIn, {
        renew: (refreshToken) => renewForAllTabs(refreshToken, renewTokens),
        now: Date.now,
        onRenewed: (renewed) => {
          // A renewal may arrive after the person has signed out.
          if (current.current?.signIn !== renewed) return
          saveSignIn(renewed)
          setToken(renewed.token)
        },
      }),
    [],
  )
  const [credential, setCredential] = useState(() => {
    const signIn = readSignIn()
    return signIn && toCredential(signIn)
  })
  current.current = credential
  useEffect(
    () => credential && listenForRenewals((renewal) => credential.adopt(renewal)),
    [credential],
  )
  const change = useCallback(
    (signIn: SignIn | undefined) => {
      saveSignIn(signIn)
      setToken(signIn?.token)
      setCredential(signIn && toCredential(signIn))
    },
    [toCredential],
  )
  return { credential, token, change }
}

/** Exchanges what came with the address, once. */
function useArrival({ code, answer }: Arrival, change: (signIn: SignIn) => void) {
  const [isStarting, setStarting] = useState(code !== undefined || answer !== undefined)
  const [startError, setStartError] = useState<string>()
  const isTaken = useRef(false)
  useEffect(() => {
    if (isTaken.current) return
    isTaken.current = true
    const exchange = async () => {
      if (code !== undefined) change(await redeemCode(code))
      else if (answer !== undefined) change(signInOf(await exchangeAnswer(answer)))
    }
    exchange()
      .catch((error: unknown) => setStartError(messageOf(error)))
      .finally(() => setStarting(false))
  }, [code, answer, change])
  return { isStarting, startError, forgetError: () => setStartError(undefined) }
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('There is no session around this component.')
  return session
}
