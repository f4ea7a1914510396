export type TargetKind = 'ndjson' | 'sqlite' | 'postgres'

/** Returns the kind of target that a name stands for; undefined if it is none. */
export function targetKind(name: string): TargetKind | undefined {
  if (/^postgres(?:ql)?:\/\//.test(name)) return 'postgres'
  if (name.endsWith('.ndjson')) return 'ndjson'
  return name.endsWith('.db') ? 'sqlite' : undefined
}
