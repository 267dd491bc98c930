/** The routes, and which of them need the token. docs/http.md has the table. */

import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { utf8Bytes } from '../../base/utf8.ts'
import { HAPROXY_HEADER } from '../../http/asked-node.ts'
import { EXPOSITION_TYPE } from '../../http/metrics/exposition.ts'
import { type ProbeAnswer, ROLE_PROBES, type RoleProbe, yes } from '../../http/probe.ts'
import { ORDERS, type SteeringBody, type SteeringWord } from '../../http/steering.ts'
import { EventStreams } from './event-stream.ts'
import { json, jsonDocument, refusal } from './http-reply.ts'
import type { HttpSite } from './http-site.ts'
import { PageFiles } from './page-files.ts'
import type { HttpToken } from './token.ts'

type Env = { readonly Bindings: HttpBindings }
type Site = Context<Env>

const BODY_MAX = 16 * 1024
const PAGE = new PageFiles(new URL('../../dashboard/', import.meta.url))
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `complain` is told of answers that could not be made. */
export function createRoutes(
  site: HttpSite,
  token: HttpToken,
  complain: (error: Error) => void,
): Hono<Env> {
  const app = new Hono<Env>()
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }))
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('X-Content-Type-Options', 'nosniff')
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  })
  addProbes(app, site)
  addDocuments(app, site, token)
  addOrders(app, site, token)
  // No wider: a path that only POST may ask for would be found here, and answered as if there were no such route.
  app.get('/', (c) => asset(c))
  app.get('/:file{[a-z-]+\\.[a-z]+}', (c) => asset(c))
  app.notFound((c) => refusal(c, 404, noRoute(site)))
  app.onError((error, c) => {
    complain(error)
    return refusal(c, 500, 'this answer could not be made; the log says why')
  })
  return app
}

/** Names those that this program serves. */
function noRoute(site: HttpSite): string {
  const documents = (['history', 'timeline', 'metrics', 'events'] as const).filter(
    (name) => site[name] !== undefined,
  )
  const routes = ['', 'cluster', ...documents, 'health', 'liveness', 'readiness', ...ROLE_PROBES]
  const orders = site.steer === undefined ? '' : `, and POST ${pathsOf(ORDERS)}`
  return `no such route; there are ${pathsOf(routes)}${orders}`
}

function pathsOf(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join(' ')
}

function wrongMethod(c: Context, methods: readonly string[]): Response {
  const allowed = [...new Set([...methods, 'OPTIONS'])].join(', ')
  c.header('Allow', allowed)
  if (c.req.method === 'OPTIONS') return c.body(null, 204)
  return refusal(c, 405, `${c.req.method} is not for this route, which takes ${allowed}`)
}

// Probes: never with a token, because load balancers and kubelets have none.

function addProbes(app: Hono<Env>, site: HttpSite): void {
  const alive = () => yes('the process answers')
  addProbe(app, '/liveness', alive)
  addProbe(app, '/health', alive)
  addProbe(app, '/readiness', () => site.readiness())
  for (const probe of ROLE_PROBES) {
    addProbe(app, `/${probe}`, (c) => askRole(c, site, probe, c.req.query('group')))
    addProbe(app, `/groups/:group/${probe}`, (c) => askRole(c, site, probe, c.req.param('group')))
  }
}

/** Patroni answers OPTIONS as it answers GET, and HAProxy asks that way unless it is told otherwise. */
function addProbe(
  app: Hono<Env>,
  path: string,
  ask: (c: Site) => ProbeAnswer | Promise<ProbeAnswer>,
): void {
  app.get(path, async (c) => probed(c, await ask(c)))
  app.options(path, async (c) => {
    c.header('Allow', 'GET, HEAD, OPTIONS')
    return probed(c, await ask(c))
  })
}

function askRole(
  c: Site,
  site: HttpSite,
  probe: RoleProbe,
  group: string | undefined,
): ProbeAnswer | Promise<ProbeAnswer> {
  return site.role({
    probe,
    group: bytesOf(group),
    node: bytesOf(c.req.query('node')),
    haproxyState: c.req.header(HAPROXY_HEADER),
    lag: bytesOf(c.req.query('lag')),
  })
}

function probed(c: Site, { status, body }: ProbeAnswer): Response {
  return json(c, status, body)
}

// Documents: with a token, if there is one.

function addDocuments(app: Hono<Env>, site: HttpSite, token: HttpToken): void {
  const streams = site.events === undefined ? undefined : new EventStreams(site.events)
  const guarded = (path: string, answer: (c: Site) => Response | Promise<Response>) =>
    app.get(path, (c) => {
      const isFree = !token.isSet || token.admits(c.req.header('Authorization'))
      return isFree ? answer(c) : unauthorized(c)
    })
  guarded('/cluster', async (c) => jsonDocument(c, 200, await site.cluster()))
  guarded('/timeline', async (c) => {
    const found = await site.timeline?.()
    return found === undefined ? refusal(c, 404, NOT_HERE) : jsonDocument(c, 200, found)
  })
  guarded('/history', (c) => {
    const found = site.history?.()
    return found === undefined ? refusal(c, 404, NOT_HERE) : json(c, 200, found)
  })
  guarded('/metrics', async (c) => {
    const text = await site.metrics?.()
    if (text === undefined) return refusal(c, 404, 'this program has no metrics')
    return c.body(text as Uint8Array<ArrayBuffer>, 200, { 'Content-Type': EXPOSITION_TYPE })
  })
  guarded('/events', (c) => {
    if (streams === undefined) return refusal(c, 404, NOT_HERE)
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    const lastId = c.req.header('Last-Event-ID') ?? c.req.query('last-event-id')
    const isOpen = streams.open(c.env.outgoing, lastId)
    return isOpen ? RESPONSE_ALREADY_SENT : refusal(c, 503, 'too many readers of events')
  })
}

/** A data node, or a proxy. */
const NOT_HERE = 'this program keeps no events: ask a Sentinel'

function unauthorized(c: Site): Response {
  c.header('WWW-Authenticate', 'Bearer realm="vedette"')
  return refusal(c, 401, 'send Authorization: Bearer with the token of http-token')
}

// Orders: never without a token.

function addOrders(app: Hono<Env>, site: HttpSite, token: HttpToken): void {
  const limit = bodyLimit({
    maxSize: BODY_MAX,
    onError: (c) => refusal(c, 413, `a body has ${BODY_MAX} bytes at most`),
  })
  for (const word of ORDERS) {
    app.post(`/${word}`, limit, (c) => order(c, site, token, word))
  }
}

async function order(
  c: Site,
  site: HttpSite,
  token: HttpToken,
  word: SteeringWord,
): Promise<Response> {
  if (site.steer === undefined) {
    return refusal(c, 404, 'this program takes no such order: ask a Sentinel')
  }
  if (!token.isSet) return refusal(c, 403, 'nothing can be steered here: http-token is not set')
  if (!token.admits(c.req.header('Authorization'))) return unauthorized(c)
  const body = parseBody(await c.req.text())
  if (body === undefined) return refusal(c, 400, 'the body must be a JSON object, or empty')
  const fault = addressFault(c.req.query(), body)
  if (fault !== undefined) return refusal(c, 400, fault)
  const named = c.req.query('group') ?? body.group ?? undefined
  // Left out, it may mean the only group; something else was meant by a number.
  if (named !== undefined && typeof named !== 'string') {
    return refusal(c, 400, 'group is the name of a group, as a text')
  }
  const answer = await site.steer({ word, group: bytesOf(named), body: bytesIn(body) })
  return json(c, answer.status, answer.body)
}

/** An address that is left out of account would change what is done: `?dryRun=true` would fail over. */
function addressFault(query: Readonly<Record<string, string>>, body: SteeringBody) {
  const misplaced = Object.keys(query).find((field) => field !== 'group')
  if (misplaced !== undefined) {
    return `'${utf8Bytes(misplaced)}' belongs into the JSON body: of an address only ?group= is read`
  }
  const isTwice = query.group !== undefined && typeof body.group === 'string'
  return isTwice && query.group !== body.group
    ? 'group is another one in the address than in the body: name it once'
    : undefined
}

function parseBody(text: string): SteeringBody | undefined {
  if (text.trim() === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    return isObject ? (body as SteeringBody) : undefined
  } catch {
    return undefined
  }
}

/** The machines know byte strings only. */
function bytesIn(body: SteeringBody): SteeringBody {
  const entries = Object.entries(body).map(([field, value]) => {
    return [utf8Bytes(field), typeof value === 'string' ? utf8Bytes(value) : value] as const
  })
  return Object.fromEntries(entries)
}

function bytesOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : utf8Bytes(text)
}

async function asset(c: Site): Promise<Response> {
  const found = await PAGE.at(c.req.path)
  if (found === undefined) return c.notFound()
  return c.body(found.body, 200, {
    'Content-Type': found.type,
    'Content-Security-Policy': PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
  })
}
