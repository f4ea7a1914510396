import { RemediableError } from '../../formats/remedy.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large for the file system',
  ENOENT: 'the folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
}

/** Describes why a file cannot be written, in one line. */
export function fileError(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new RemediableError(`cannot write ${path}: ${REASONS[code] ?? message}`, {
    cause: error,
    remedy: isFull ? { do: 'resume' } : undefined,
  })
}
