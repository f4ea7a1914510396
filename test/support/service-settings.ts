import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface ServiceFolder {
  readonly path: string
  /** Returns settings for a service on a free port, with its store in the folder. */
  settings(more?: Environment): Environment
}

/** Creates a folder for each test of a file, with the settings of a service in it. */
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
