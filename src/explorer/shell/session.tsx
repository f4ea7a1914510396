/** Who is signed in, for all screens. */
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
import { ApiError, type Send, senderOf } from '../api/call.ts'
import { readToken, redeemCode, saveToken } from '../api/session.ts'

export interface Session {
  readonly send: Send
  readonly isSignedIn: boolean
  /** True if the service no longer accepts the token. What was read stays on the screen. */
  readonly isRefused: boolean
  /** True until a one-time code in the address has been exchanged. */
  readonly isStarting: boolean
  /** Why a one-time code was not accepted. */
  readonly startError: string | undefined
  /** The token, for requests that the user copies. */
  readonly token: string | undefined
  readonly signIn: (token: string) => void
  readonly signOut: () => void
}

const SessionContext = createContext<Session | undefined>(undefined)

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [token, setToken] = useState(readToken)
  const [isRefused, setRefused] = useState(false)
  const [isStarting, setStarting] = useState(() => location.hash.startsWith('#code='))
  const [startError, setStartError] = useState<string>()

  useEffect(() => {
    redeemCode()
      .then((redeemed) => redeemed !== undefined && setToken(redeemed))
      .catch((error: Error) => setStartError(error.message))
      .finally(() => setStarting(false))
  }, [])

  const change = useCallback((next: string | undefined) => {
    saveToken(next)
    setToken(next)
    setStartError(undefined)
    setRefused(false)
  }, [])
  const current = useRef(token)
  current.current = token
  const send = useMemo<Send>(() => {
    const sendNow = senderOf(token)
    return async (request, signal) => {
      try {
        return await sendNow(request, signal)
      } catch (error) {
        // A late answer to an earlier token says nothing about this one.
        const isCurrent = current.current === token
        if (isCurrent && error instanceof ApiError && error.needsSignIn) setRefused(true)
        throw error
      }
    }
  }, [token])
  const session = useMemo<Session>(
    () => ({
      send,
      isSignedIn: token !== undefined,
      isRefused,
      isStarting,
      startError,
      token,
      signIn: change,
      signOut: () => change(undefined),
    }),
    [token, send, isRefused, isStarting, startError, change],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('There is no session around this component.')
  return session
}
