import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure, MethodNotAllowed, NotFound } from "../../operation/failure.ts";
import type { ErrorRendering } from "../../operation/problem.ts";
import { strayErrorRendering } from "../../html/error-page.ts";
import { operationOf } from "./operation-match.ts";
import { PathTable } from "./path-table.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** For `OPTIONS *`, which asks about the whole server. */
const EVERY_METHOD: ReadonlySet<string> = new Set(METHODS);
export const EVERY_PATH = "*";

/** Collects the paths and methods of all routes registered from now on. */
export function collectPaths(app: FastifyInstance): PathTable {
  const paths = new PathTable();
  app.addHook("onRoute", ({ url, method }) => {
    // Operations share one route and add their paths separately.
    if (url === EVERY_PATH) return;
    // The framework adds routes for HEAD to those for GET.
    for (const one of [method].flat()) if (one !== "HEAD") paths.add(url, one);
  });
  return paths;
}

/** Rejects unmatched requests before their body is read: unknown paths and unsupported methods. */
export function rejectUnrouted(app: FastifyInstance, paths: PathTable): void {
  app.route({
    url: EVERY_PATH,
    method: METHODS,
    onRequest: async (request, reply) => {
      const path = request.url;
      return reject(request, reply, path === "*" ? EVERY_METHOD : paths.methodsAt(path));
    },
    handler: neverReached,
  });
}

/**
 * How a failure is rendered: as declared by the operation, or as a page for browsers. Paths below a page fail
 * like that page. API failures are the same for all clients.
 */
export function findErrorRendering(
  request: FastifyRequest,
  paths: PathTable,
): ErrorRendering | undefined {
  const operation = operationOf(request);
  if (operation?.response?.errorRendering) return operation.response.errorRendering;
  const isPageAsked = request.method === "GET" || request.method === "HEAD";
  const isBrowser = isPageAsked && /\btext\/html\b/.test(request.headers.accept ?? "");
  const [path = ""] = request.url.split("?", 1);
  if (!isBrowser || path.startsWith("/api/")) return undefined;
  const above = operation ? undefined : paths.findPageAbove(path);
  return above?.response?.errorRendering ?? strayErrorRendering;
}

function allowOf(methods: ReadonlySet<string>): string {
  const allowed = methods.has("GET") ? [...methods, "HEAD"] : [...methods];
  return allowed.toSorted().join(", ");
}

async function neverReached(): Promise<void> {}

function reject(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReadonlySet<string> | undefined,
): FastifyReply {
  if (methods && request.method === "OPTIONS") {
    return reply.code(204).header("allow", allowOf(methods)).send();
  }
  // The path has the method, so a parameter is too long.
  if (!methods || methods.has(request.method)) throw new Failure(NotFound);
  const allow = allowOf(methods);
  throw new Failure(MethodNotAllowed, {
    detail: `This path supports ${allow}.`,
    headers: { allow },
  });
}
