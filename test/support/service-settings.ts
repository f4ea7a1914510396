import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface ServiceFolder {
  readonly path: string
  /** Settings of a service on any port, with its store in the folder. */
  settings(more?: Environment): Environment
}

/** A new folder for each test of a file, and what a service needs to live in it. */
export function useServiceFolder(always: Environment = {}): ServiceFolder {
  let folder: TempFolder
  beforeEach(() => {
    folder = tempFolder()
  })
  afterEach(() => folder[Symbol.dispose]())
  return {
    get path() {
      return folder.path
    },
    settings(more = {}) {
      const store = `sqlite:${join(folder.path, 'oqs.db')}`
      return { OQS_PORT: '0', OQS_STORE: store, ...always, ...more }
    },
  }
}
