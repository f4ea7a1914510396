/**
 * Yields to the event loop, so that long work does not block other requests. Work that runs for one
 * caller and competes with others uses `FairTurns` instead.
 */
export { setImmediate as nextTurn } from 'node:timers/promises'
