import { existsSync, readFileSync, statSync } from 'node:fs'

/** Where Linux lists the locks that processes hold on files; other systems have no such list. */
const LIST = '/proc/locks'

export const canSeeLocks = existsSync(LIST)

/** The list is read in parts, and may lose a line between two of them when other locks come and go. */
const READS = 5

/** Whether a process holds a lock on a file, as the kernel sees it. */
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
