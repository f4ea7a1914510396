import { addV2Actions } from '../actions/v2.ts'
import { addV2ActionTypes } from '../actions/v2-types.ts'
import type { App } from '../app.ts'
import type { Services } from '../services.ts'
import { addGetObject } from './get-object.ts'
import { addListObjects } from './list-objects.ts'
import { addGetOntology, addListOntologies } from './ontologies.ts'
import { refuseBranch } from './parameters.ts'

/** Adds the endpoints of v2: `/api/v2/ontologies/…`. */
export function addV2(app: App, services: Services): void {
  void app.register(async (v2: App) => {
    v2.addHook('preHandler', async ({ query }) => refuseBranch(query))
    addListOntologies(v2)
    addGetOntology(v2)
    addListObjects(v2, services)
    addGetObject(v2, services)
    addV2ActionTypes(v2, services)
    addV2Actions(v2, services)
  })
}
