/** The signals that stop a service. */

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
