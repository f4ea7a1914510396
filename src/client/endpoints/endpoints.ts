import { Connection, type ConnectionOptions } from '../connection.ts'
import { Administration } from './administration.ts'
import { ObjectSets } from './object-sets.ts'
import { Revision1 } from './revision-1.ts'
import { Revision2 } from './revision-2.ts'

/** Every endpoint of the service, one method each, with requests and responses as on the wire. */
export class Endpoints {
  /** Sends requests to endpoints that have no method here. */
  readonly connection: Connection
  readonly revision1: Revision1
  readonly revision2: Revision2
  readonly administration: Administration
  readonly objectSets: ObjectSets

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options)
    this.revision1 = new Revision1(this.connection)
    this.revision2 = new Revision2(this.connection)
    this.administration = new Administration(this.connection)
    this.objectSets = new ObjectSets(this.connection)
  }
}
