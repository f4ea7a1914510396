import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { OntologyDefinition } from '../api/ontology.ts'
import { useSession } from '../session/session.tsx'
import { type LinkedKey, LinkedTitles, type Titles } from './linked-titles.ts'

/** Keys are asked for when they stay on the screen this long: not while a reader scrolls past. */
const SETTLE_MS = 80

/** Returns the titles of linked objects as far as they are known. The keys must be memoised. */
export function useLinkedTitles(
  ontology: OntologyDefinition,
  wanted: readonly LinkedKey[],
): Titles {
  const { service } = useSession()
  const titles = useMemo(() => new LinkedTitles(service, ontology), [service, ontology])
  useEffect(() => {
    if (wanted.length === 0) return
    const timer = setTimeout(() => void titles.ask(wanted), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [titles, wanted])
  return useSyncExternalStore(titles.titles.subscribe, titles.titles.get)
}
