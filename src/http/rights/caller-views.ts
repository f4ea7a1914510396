/**
 * The views of callers whose rights are limited by policies. Policies are read for every request,
 * including every page; the resulting views are cached for callers with the same rights.
 */
import { LRUCache } from 'lru-cache'
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import {
  type Claims,
  type Policy,
  type PolicyBody,
  STANDARD_CLAIMS,
} from '../../query/rights/policy.ts'
import {
  type CatalogueView,
  type PolicyLists,
  rightsKey,
  viewCatalogue,
} from '../../query/rights/view-catalogue.ts'
import type { Documents, FoundDocuments, StoredDocument } from '../../store/object-store.ts'
import type { Caller, CallerRights } from '../request/caller-rights.ts'
import type { Viewer } from '../request/resolve.ts'

/** A view of a large ontology takes some memory; most callers share a few. */
const MAX_VIEWS = 200
const MAX_KNOWN_LISTS = 1000

/** Names of policies, one list for each credential of a caller. */
type PolicyNames = NonNullable<CallerRights['policies']>

export interface ReadPolicies {
  readonly lists: PolicyLists
  /** See `FoundDocuments`. */
  readonly generation: number | undefined
}

export interface CallerViewsOptions {
  readonly documents: Pick<Documents, 'findAll'>
  readonly limits: QueryLimits
  /** Claims of an OpenID provider that rules can use, besides those of every caller. */
  readonly providerClaims: readonly string[]
  /** The clock, in milliseconds. */
  readonly now: () => number
}

export class CallerViews {
  /** The claims that rules can use. */
  readonly claimNames: readonly string[]
  readonly #options: CallerViewsOptions
  readonly #views = new LRUCache<string, CatalogueView>({ max: MAX_VIEWS })
  readonly #known = new LRUCache<string, ReadPolicies>({ max: MAX_KNOWN_LISTS })
  /** Parsed policies by the result of the store, which SQLite returns again until a commit. */
  readonly #unchanged = new WeakMap<FoundDocuments, { key: string; read: ReadPolicies }>()
  /** The last view that was made of policies. Most policies use no claims, or those of one caller. */
  readonly #lastViews = new WeakMap<ReadPolicies, { key: string; view: CatalogueView }>()

  constructor(options: CallerViewsOptions) {
    this.#options = options
    this.claimNames = claimNames(options.providerClaims)
  }

  /** Returns the policies with these names. Unknown ones are left out: they allow nothing. */
  async read(names: PolicyNames): Promise<ReadPolicies> {
    const { documents, now } = this.#options
    const found = await documents.findAll('policy', [...new Set(names.flat())], now())
    const key = JSON.stringify(names)
    const unchanged = this.#unchanged.get(found)
    if (unchanged?.key === key) return unchanged.read
    const byName = new Map(found.documents.map((document) => [document.id, toPolicy(document)]))
    const lists = names.map((list) => [...new Set(list)].flatMap((name) => byName.get(name) ?? []))
    const read = { lists, generation: found.generation }
    this.#unchanged.set(found, { key, read })
    if (read.generation !== undefined) this.#known.set(key, read)
    // Otherwise every page would recall the deleted policies, and start again.
    else this.#known.delete(key)
    return read
  }

  /**
   * Returns the policies that were last read, if they were read in this generation, or in any if it
   * is undefined. The page of the request must confirm the generation.
   */
  recall(names: PolicyNames, generation: number | undefined): ReadPolicies | undefined {
    const known = this.#known.get(JSON.stringify(names))
    return generation === undefined || known?.generation === generation ? known : undefined
  }

  /** Limits a caller, and the catalogue that it sees, to what its policies allow. */
  limit({ caller, catalogue }: Viewer, policies: ReadPolicies): Viewer {
    const claims = claimsOf(caller)
    const key = `${catalogue.generation} ${JSON.stringify(claims)}`
    const last = this.#lastViews.get(policies)
    const view = last?.key === key ? last.view : this.#findView(catalogue, policies, claims)
    if (last?.key !== key) this.#lastViews.set(policies, { key, view })
    return { caller: limitedCaller(caller, view), catalogue: view.catalogue }
  }

  #findView(catalogue: Catalogue, { lists }: ReadPolicies, claims: Claims): CatalogueView {
    const key = `${catalogue.generation} ${rightsKey(lists, claims)}`
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const view = viewCatalogue(catalogue, lists, { claims, limits: this.#options.limits })
    this.#views.set(key, view)
    return view
  }

  /** Returns a caller, and the catalogue that it sees now. */
  async readViewer({ caller, catalogue }: Viewer): Promise<Viewer> {
    if (caller.policies === undefined) return { caller, catalogue }
    return this.limit({ caller, catalogue }, await this.read(caller.policies))
  }
}

/** Returns the claims that rules can use. */
export function claimNames(providerClaims: readonly string[]): readonly string[] {
  return [...new Set([...STANDARD_CLAIMS, ...providerClaims])]
}

export function toPolicy({ id, body }: StoredDocument): Policy {
  return { name: id, ...(body as PolicyBody) }
}

function limitedCaller(caller: Caller, { catalogue, administered }: CatalogueView): Caller {
  const visible = catalogue.ontologies.filter(caller.maySee).map(({ rid }) => rid)
  return {
    ...caller,
    ontologies: visible,
    maySee: ({ rid }) => visible.includes(rid),
    mayAdminister: ({ rid }) => administered.has(rid),
  }
}

function claimsOf({ id, name, userId, profile, claims }: Caller): Claims {
  return { name, subject: userId ?? id, email: profile?.email, ...claims }
}
