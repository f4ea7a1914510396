/** The worker thread of `reference-script.ts`: posts the script as a `StaticFile` and exits. */
import { parentPort } from 'node:worker_threads'
import apiReference from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import { compressFile } from '../response/static-file.ts'

const PREFIX = '/docs'

// The package offers its script only through a route.
const app = fastify()
await app.register(apiReference, { routePrefix: PREFIX, configuration: { url: '/openapi.json' } })
const { rawPayload } = await app.inject(`${PREFIX}/js/scalar.js`)
parentPort?.postMessage(await compressFile('text/javascript; charset=utf-8', rawPayload))
