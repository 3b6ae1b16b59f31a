import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Everything comes from this server and nothing is inline: a text that gets into a page as markup can neither run nor
 * fetch anything.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  // The builder shows a draft of an app on a page of ours.
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
/** A file below `/assets` has the hash of its content in its name. */
const FOREVER = "public, max-age=31536000, immutable";
const PAGE = "/index.html";

/** Paths below these belong to the API and to pages of ours: a browser gets what they answer, and 404 where nothing is. */
export const RESERVED: ReadonlySet<string> = new Set([
  ".well-known",
  "api",
  "apps",
  "assets",
  "calendars",
  "chat",
  "connector-hooks",
  "docs",
  "downloads",
  "files",
  "forms",
  "guide",
  "health",
  "healthz",
  "hooks",
  "inbound",
  "invitations",
  "listen",
  "logout",
  "mcp",
  "metrics",
  "oauth",
  "openapi.json",
  "password",
  "portal",
  "readyz",
  "sso",
  "status",
]);

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/** The built console, in memory: some two megabytes. */
export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, ConsoleFile>;

  constructor(folder: string, basePath: string) {
    const files = new Map(readFiles(folder));
    const page = files.get(PAGE);
    if (page) files.set(PAGE, withBase(page, basePath));
    this.#files = files;
  }

  /**
   * Serves each file at its path, and the page wherever a browser asks for an address of the console. That comes before
   * the routes: some of them answer at the same address, to programs and where there is no console.
   */
  mount(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      if (!this.#answerPage(request, reply)) done();
    });
    for (const [path, file] of this.#files) {
      if (path === PAGE) continue;
      app.get(path, async (request, reply) => {
        reply.header("cache-control", path.startsWith("/assets/") ? FOREVER : "no-cache");
        return send(request, reply, file);
      });
    }
  }

  /** The page knows its addresses, and says itself that there is nothing at one. */
  #answerPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (request.method !== "GET" || !(request.headers.accept ?? "").includes("text/html")) {
      return undefined;
    }
    const page = this.#files.get(PAGE);
    const [path = ""] = request.url.split("?", 1);
    // `//elsewhere` would be read as another host wherever the page leads to its own path.
    if (!page || path.startsWith("//") || this.#files.has(path)) return undefined;
    if (RESERVED.has(path.split("/", 2)[1] ?? "")) return undefined;
    reply.header("content-security-policy", POLICY).header("cache-control", "no-cache");
    return send(request, reply, page);
  }
}

function* readFiles(folder: string): Generator<[string, ConsoleFile]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = MEDIA_TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const compressed = ENCODINGS.flatMap(([name, ending]) => {
      const bytes = readIfThere(`${file}${ending}`);
      return bytes ? [[name, bytes] as const] : [];
    });
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    yield [path, { type, ...toContent(readFileSync(file)), compressed: new Map(compressed) }];
  }
}

/** The page with the path under which a proxy serves us. It is small, and not compressed. */
function withBase(page: ConsoleFile, basePath: string): ConsoleFile {
  const html = page.content
    .toString("utf8")
    .replace('<base href="/" />', () => `<base href="${basePath}/" />`);
  return { ...page, ...toContent(Buffer.from(html)), compressed: new Map() };
}

function toContent(content: Buffer): Pick<ConsoleFile, "content" | "etag"> {
  const hash = createHash("sha256").update(content).digest("base64url");
  return { content, etag: `"${hash.slice(0, 22)}"` };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  reply.header("etag", file.etag).header("vary", "accept, accept-encoding").type(file.type);
  if (request.headers["if-none-match"]?.includes(file.etag)) return reply.code(304).send();
  const accepted = String(request.headers["accept-encoding"] ?? "");
  for (const [name, bytes] of file.compressed) {
    if (!new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted)) continue;
    return reply.header("content-encoding", name).send(bytes);
  }
  return reply.send(file.content);
}
