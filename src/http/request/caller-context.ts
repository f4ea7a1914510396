import type { FastifyRequest } from 'fastify'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import type {
  CachedIdentity,
  ReadReport,
  StoreWork,
  WriteAudit,
} from '../../store/port/request-context.ts'

/** The part of a request that its context uses, whatever its schema. */
type ContextRequest = Pick<FastifyRequest, 'lifetime' | 'activity' | 'audit'>

/** The context of a request whose caller is known. */
export class CallerContext implements ServiceContext {
  readonly callerId: string
  readonly cachedIdentity: CachedIdentity | undefined
  readonly #request: ContextRequest

  constructor(request: ContextRequest, callerId: string, cachedIdentity?: CachedIdentity) {
    this.#request = request
    this.callerId = callerId
    this.cachedIdentity = cachedIdentity
  }

  get audit(): WriteAudit | undefined {
    return this.#request.audit
  }

  signal(): AbortSignal {
    return this.#request.lifetime.signal()
  }

  defer(callback: () => void): void {
    this.#request.lifetime.defer(callback)
  }

  measure<T>(work: StoreWork, run: () => Promise<T>): Promise<T> {
    return this.#request.activity.measure(work, run)
  }

  onRead(report: ReadReport): void {
    this.#request.activity.onRead(report)
  }

  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void {
    this.#request.activity.noteRead(types, objects)
  }
}
