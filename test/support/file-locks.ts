import { existsSync, readFileSync, statSync } from 'node:fs'

/** Where Linux lists the locks that processes hold on files; other systems have no such list. */
const LIST = '/proc/locks'

export const canSeeLocks = existsSync(LIST)

/** Whether a process holds a lock on a file, as the kernel sees it. */
export function holdsLock(pid: number | undefined, path: string): boolean {
  const { ino } = statSync(path)
  // 1: POSIX  ADVISORY  READ 4711 fe:00:1234567 1073741826 1073742335
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(([, , , , holder, file = '']) => holder === String(pid) && file.endsWith(`:${ino}`))
}
