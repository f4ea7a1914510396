/**
 * Identifies the caller of a request, and the catalogue that it sees. A request for a page takes the
 * catalogue from a cache, and on PostgreSQL its token and policies too, which saves two round trips.
 * The page verifies them in its own transaction, before anything is sent.
 */
import type { OntologyName } from '../ontology/catalogue.ts'
import type { ApiToken } from '../store/object-store.ts'
import { CachedIdentity } from '../store/port/request-context.ts'
import type { AccessServices } from './access-services.ts'
import { authenticate, type Credentials, findApiToken } from './authenticate.ts'
import type { ReadPolicies } from './policies/caller-views.ts'
import type { Viewer } from './resolve.ts'

/** A caller that is authenticated. Its policies, which `viewOf` applies, do not limit it yet. */
export interface Identified extends Viewer {
  /** The policies of the caller, if they were taken from a cache. */
  readonly policies?: ReadPolicies | undefined
  /** Set if anything was taken from a cache. */
  readonly cachedIdentity?: CachedIdentity | undefined
}

/** Identifies a caller by what is in the database now. Throws if its credentials are not valid. */
export async function identify(
  credentials: Credentials,
  name: OntologyName,
  services: AccessServices,
): Promise<Identified> {
  // In parallel with the token: on PostgreSQL, both are round trips.
  const reading = services.store.readCatalogue({ named: [name] })
  // If the caller is refused, nobody waits for the catalogue.
  reading.catch(() => {})
  const caller = await authenticate(credentials, services)
  return { caller, catalogue: await reading }
}

/** Identifies the caller of a request for a page, as far as possible from caches. */
export async function identifyFromCache(
  credentials: Credentials,
  name: OntologyName,
  services: AccessServices,
): Promise<Identified> {
  const { store, views } = services
  const catalogue = store.cachedCatalogue(name)
  if (catalogue === undefined) return identify(credentials, name, services)
  const tokens = new CachedTokens(services)
  const caller = await authenticate(credentials, services, tokens.find)
  const policies = caller.policies && views.cached(caller.policies, tokens.generation)
  const cachedIdentity = new CachedIdentity({
    catalogue: catalogue.generation,
    tokens: tokens.generation ?? policies?.generation,
  })
  return { caller, catalogue, policies, cachedIdentity }
}

/** Finds API tokens in the cache of the store, and otherwise in the database. */
class CachedTokens {
  readonly #services: AccessServices
  #generation: number | undefined

  constructor(services: AccessServices) {
    this.#services = services
  }

  /** The generation of the token that was found in the cache; undefined if none was. */
  get generation(): number | undefined {
    return this.#generation
  }

  readonly find = async (secretHash: string, address: string): Promise<ApiToken | undefined> => {
    const cached = this.#services.store.cachedApiToken?.(secretHash)
    if (cached === undefined) return findApiToken(secretHash, address, this.#services)
    this.#generation = cached.generation
    return cached.token
  }
}

/**
 * Loads a definition, and limits the caller and the definition to what policies allow. Both can take
 * a while, so the caller is admitted before. Reads the policies, unless they are given.
 */
export async function viewOf(
  name: OntologyName,
  { caller, catalogue }: Viewer,
  { store, views }: Pick<AccessServices, 'store' | 'views'>,
  known?: ReadPolicies,
): Promise<Viewer> {
  const policies = caller.policies && (known ?? (await views.read(caller.policies)))
  const entry = catalogue.index.findNamed(name)
  const mayLoad =
    entry !== undefined &&
    caller.maySee(entry) &&
    (policies === undefined || views.mayShow(entry, policies))
  const loaded =
    !mayLoad || catalogue.isLoaded(name)
      ? catalogue
      : await store.readCatalogue({ named: [name], callerId: caller.id })
  return policies === undefined
    ? { caller, catalogue: loaded }
    : views.limit({ caller, catalogue: loaded }, policies)
}
