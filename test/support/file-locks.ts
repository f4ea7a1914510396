import { existsSync, readFileSync, statSync } from 'node:fs'

/** The list of file locks on Linux; other systems have none. */
const LIST = '/proc/locks'

export const canSeeLocks = existsSync(LIST)

/** The list is read in parts, and may miss a line if other locks change between two of them. */
const READS = 5

/** Returns whether the kernel lists a lock of a process on a file. */
export function holdsLock(pid: number | undefined, path: string): boolean {
  const { ino } = statSync(path)
  return Array.from({ length: READS }).some(() => isListed(String(pid), `:${ino}`))
}

function isListed(pid: string, inode: string): boolean {
  // 1: POSIX  ADVISORY  READ 4711 fe:00:1234567 1073741826 1073742335
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(([, , , , holder, file = '']) => holder === pid && file.endsWith(inode))
}
