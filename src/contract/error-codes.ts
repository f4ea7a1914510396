/** The error codes of the wire, each with its HTTP status [7.2]. */
export const STATUS_OF_CODE = {
  UNAUTHORIZED: 401,
  PERMISSION_DENIED: 403,
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  REQUEST_ENTITY_TOO_LARGE: 413,
  FAILED_PRECONDITION: 500,
  INTERNAL: 500,
  TIMEOUT: 504,
  CUSTOM_CLIENT: 400,
  CUSTOM_SERVER: 500,
} as const

export type ErrorCode = keyof typeof STATUS_OF_CODE

/** An entry of the error catalogue. */
export interface CatalogueEntry {
  readonly errorCode: ErrorCode
  /** Set if the status differs from that of the code. */
  readonly status?: number
  readonly description: string
}
