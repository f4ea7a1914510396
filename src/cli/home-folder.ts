import { homedir } from 'node:os'

/** Returns the home folder; undefined for a user without one, as in some containers. */
export function homeFolder(): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined
  }
}
