import { BASE_PATH } from './base-path.ts'

/** Returns the address of the service, for clients. */
export function serviceUrl(): string {
  return location.origin + BASE_PATH
}
