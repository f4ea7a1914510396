/** How those who wait learn that an object type has a new version, whichever process published it. */
export interface Publications {
  /** Calls a listener with the RID of the type; undefined if any type may have a new version. */
  follow(listener: PublicationListener): Disposable
  /** Says that a type has a new version. */
  announce(typeRid: string | undefined): void
  /** Whether listeners in other processes are called, too. */
  readonly reachesOthers: boolean
}

export type PublicationListener = (typeRid: string | undefined) => void
