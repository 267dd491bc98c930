/** The version of Redis whose behaviour this node has; clients derive from it what they may use. */
export const REDIS_VERSION = '7.0.15'
