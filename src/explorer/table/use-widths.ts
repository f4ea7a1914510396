import { useCallback, useState } from 'react'
import { MIN_WIDTH } from './columns.ts'

const MAX_WIDTH = 900

/** The widths that the reader gave to columns. They last as long as the tab. */
export function useWidths(typeRid: string) {
  const key = `oqs.widths.${typeRid}`
  const [widths, setWidths] = useState(() => readWidths(sessionStorage.getItem(key)))
  const setWidth = useCallback(
    (column: string, width: number) => {
      const kept = Math.round(Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, width)))
      setWidths((last) => {
        const next = { ...last, [column]: kept }
        sessionStorage.setItem(key, JSON.stringify(next))
        return next
      })
    },
    [key],
  )
  return [widths, setWidth] as const
}

function readWidths(text: string | null): Readonly<Record<string, number>> {
  try {
    const saved = Object.entries((JSON.parse(text ?? '{}') ?? {}) as Record<string, unknown>)
    return Object.fromEntries(
      saved.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    )
  } catch {
    return {}
  }
}
