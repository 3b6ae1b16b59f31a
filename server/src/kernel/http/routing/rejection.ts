import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure, MethodNotAllowed, NotFound } from "../../operation/failure.ts";
import { PathTable } from "./path-table.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** For `OPTIONS *`, which asks about the server as a whole. */
const EVERY_METHOD: ReadonlySet<string> = new Set(METHODS);

/** Collects the paths and methods of all routes that are registered from now on. */
export function collectPaths(app: FastifyInstance): PathTable {
  const paths = new PathTable();
  app.addHook("onRoute", ({ url, method, handler }) => {
    if (handler === neverReached) return;
    // Routes for HEAD are the framework's, beside those for GET.
    for (const one of [method].flat()) if (one !== "HEAD") paths.add(url, one);
  });
  return paths;
}

/**
 * Rejects what no route takes, before its body is read: a path that leads nowhere, and a method that its path does
 * not have. One route takes them all: one for each method of each path took half of a start.
 */
export function rejectUnrouted(app: FastifyInstance, paths: PathTable): void {
  // In a scope, which is entered when the scopes before it have registered their routes.
  void app.register(async (scope) => {
    // `/runs/retry` has no GET, and must not be taken for a run that is called "retry".
    const shadowed = [...paths.patterns].map(([url, own]) => ({
      url,
      own,
      method: [...paths.overlappingMethods(url)].filter((method) => !own.has(method)),
    }));
    for (const { url, own, method } of shadowed) {
      if (method.length > 0) {
        addRejection(scope, { url, method }, (request, reply) => reject(request, reply, own));
      }
    }
    addRejection(scope, { url: "*", method: METHODS }, (request, reply) => {
      const path = request.url;
      const methods = path === "*" ? EVERY_METHOD : paths.methodsAt(path);
      return reject(request, reply, methods);
    });
  });
}

function addRejection(
  app: FastifyInstance,
  route: { readonly url: string; readonly method: string[] },
  answer: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    ...route,
    onRequest: async (request, reply) => answer(request, reply),
    handler: neverReached,
  });
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
  // A path that has the method has come here because a parameter is too long.
  if (!methods || methods.has(request.method)) throw new Failure(NotFound);
  const allow = allowOf(methods);
  throw new Failure(MethodNotAllowed, {
    detail: `This path answers ${allow}.`,
    headers: { allow },
  });
}
