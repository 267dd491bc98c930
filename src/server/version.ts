/** The Redis whose behaviour this node has; clients choose what they may use by it. */
export const REDIS_VERSION = '7.0.15'
