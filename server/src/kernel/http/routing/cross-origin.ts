import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../../contract.ts";
import { addVary } from "../compression/response-compressor.ts";

/** The maximum delay before a change of a workspace's list takes effect. */
const MEMORY_MS = 10_000;

const ALLOWED: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Content-Encoding, X-Workspace, X-Environment, X-Request-ID, " +
    "Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range",
  "access-control-max-age": "600",
};
const EXPOSED =
  "ETag, Location, Retry-After, WWW-Authenticate, X-Request-ID, Idempotency-Replayed, Content-Disposition, " +
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";

/**
 * CORS: which pages of other origins can read responses. Each workspace lists its origins, none by default.
 * Requests that do not name a workspace, such as preflights, accept the origins of all workspaces. Cookies are
 * never allowed: such a page needs a token, which its server could use as well.
 */
export class CrossOriginPolicy {
  readonly #platform: Pick<Platform, "db" | "clock">;
  #slugs: Promise<ReadonlyMap<string, ReadonlySet<string>>> | undefined;
  #readAtMs = 0;

  constructor(platform: Pick<Platform, "db" | "clock">) {
    this.#platform = platform;
  }

  /** Sets the headers that allow the page to read the response, if its origin is listed. */
  async apply(request: FastifyRequest, reply: FastifyReply, done: () => void): Promise<void> {
    addVary(reply, "origin");
    setHeaders(request, reply, await this.#read());
    done();
  }

  /** The slugs of workspaces by listed origin. Without the database, no origin is allowed, and nothing fails. */
  #read(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { clock, db } = this.#platform;
    const nowMs = clock.nowMs();
    if (this.#slugs && nowMs - this.#readAtMs < MEMORY_MS) return this.#slugs;
    this.#readAtMs = nowMs;
    this.#slugs = db
      .system<{ slug: string; origin: string }>(
        "select slug, unnest(cors_origins) as origin from workspaces where cors_origins <> '{}'",
      )
      .then(
        (rows) => {
          const byOrigin = Map.groupBy(rows, ({ origin }) => origin);
          return new Map(
            [...byOrigin].map(([origin, list]) => [origin, new Set(list.map(({ slug }) => slug))]),
          );
        },
        () => new Map(),
      );
    return this.#slugs;
  }
}

function setHeaders(
  { method, headers, query }: FastifyRequest,
  reply: FastifyReply,
  slugsByOrigin: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const { origin = "" } = headers;
  const slugs = slugsByOrigin.get(origin);
  if (!slugs) return;
  const isPreflight =
    method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
  const slug = headers["x-workspace"] ?? (query as { workspace?: unknown }).workspace;
  if (!isPreflight && typeof slug === "string" && !slugs.has(slug)) return;
  reply.header("access-control-allow-origin", origin);
  if (isPreflight) reply.headers(ALLOWED);
  else reply.header("access-control-expose-headers", EXPOSED);
}
