import { parentPort } from 'node:worker_threads'
import apiReference from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import { compressFile } from './static-file.ts'

/** The thread behind `reference-script.ts`: sends the script as a `StaticFile`, then ends. */

const PREFIX = '/docs'

// The package hands its script out by a route only.
const app = fastify()
await app.register(apiReference, { routePrefix: PREFIX, configuration: { url: '/openapi.json' } })
const { rawPayload } = await app.inject(`${PREFIX}/js/scalar.js`)
parentPort?.postMessage(await compressFile('text/javascript; charset=utf-8', rawPayload))
