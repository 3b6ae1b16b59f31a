import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure, NotFound } from "../operation/failure.ts";

/**
 * Everything is served by this server and nothing is inline: injected markup can neither run scripts nor fetch
 * data.
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
  // The app builder shows a draft in a frame from this origin.
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
const FOREVER = "public, max-age=31536000, immutable";
const PAGE = "/index.html";

/**
 * Path prefixes of the API and server-rendered pages. Browsers get their responses, including a page for
 * unknown addresses.
 */
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
  "pages",
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
  "resume",
  "sso",
  "status",
]);

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly read: () => Promise<Buffer>;
  /** Compressed variants by encoding, in order of preference. */
  readonly compressed: ReadonlyMap<string, () => Promise<Buffer>>;
}

/** The built console. Its files stay on disk: browsers cache them, and in memory they would use seven megabytes. */
export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, ConsoleFile>;

  constructor(folder: string, basePath: string) {
    const files = new Map(readFiles(folder));
    if (files.has(PAGE)) files.set(PAGE, readPage(join(folder, PAGE), basePath));
    this.#files = files;
  }

  /**
   * Serves each file at its path, and the console page at any other browser address. It runs before the routes,
   * some of which serve programs at the same addresses.
   */
  mount(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      const page = this.#findPage(request);
      if (!page) return done();
      reply.header("content-security-policy", POLICY);
      void send(request, reply, { file: page, cacheControl: "no-cache" });
    });
    for (const [path, file] of this.#files) {
      if (path === PAGE) continue;
      const cacheControl = isHashed(path) ? FOREVER : "no-cache";
      app.get(path, (request, reply) => send(request, reply, { file, cacheControl }));
    }
  }

  /** The page handles its addresses, including unknown ones. */
  #findPage(request: FastifyRequest): ConsoleFile | undefined {
    if (request.method !== "GET" || !(request.headers.accept ?? "").includes("text/html")) {
      return undefined;
    }
    const [path = ""] = request.url.split("?", 1);
    // The page would interpret `//elsewhere` as another host if it links to its own path.
    if (path.startsWith("//") || this.#files.has(path)) return undefined;
    return RESERVED.has(path.split("/", 2)[1] ?? "") ? undefined : this.#files.get(PAGE);
  }
}

/** Returns true for files below `/assets`: their names contain a content hash. */
function isHashed(path: string): boolean {
  return path.startsWith("/assets/");
}

function* readFiles(folder: string): Generator<[string, ConsoleFile]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = MEDIA_TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const compressed = ENCODINGS.flatMap(([name, ending]) => {
      const path = `${file}${ending}`;
      return existsSync(path) ? [[name, () => loadFile(path)] as const] : [];
    });
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    const etag = isHashed(path) ? `"${entry.name}"` : etagOf(readFileSync(file));
    yield [path, { type, etag, read: () => loadFile(file), compressed: new Map(compressed) }];
  }
}

/** Reads the page and inserts the base path of a proxy. It is small and not compressed. */
function readPage(file: string, basePath: string): ConsoleFile {
  const html = readFileSync(file, "utf8").replace(
    '<base href="/" />',
    () => `<base href="${basePath}/" />`,
  );
  const content = Buffer.from(html);
  const type = MEDIA_TYPES[extname(PAGE)] ?? "";
  return { type, etag: etagOf(content), read: async () => content, compressed: new Map() };
}

function etagOf(content: Buffer): string {
  const hash = createHash("sha256").update(content).digest("base64url");
  return `"${hash.slice(0, 22)}"`;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, cacheControl }: { readonly file: ConsoleFile; readonly cacheControl: string },
): Promise<FastifyReply> {
  const isKnown = request.headers["if-none-match"]?.includes(file.etag) === true;
  const accepted = String(request.headers["accept-encoding"] ?? "");
  const [encoding, read] =
    [...file.compressed].find(([name]) => isAccepted(name, accepted)) ??
    ([undefined, file.read] as const);
  // Read before the headers are set, because errors have different headers.
  const content = isKnown ? undefined : await read();
  reply.headers({
    etag: file.etag,
    vary: "accept, accept-encoding",
    "cache-control": cacheControl,
    "content-type": file.type,
  });
  if (content === undefined) return reply.code(304).send();
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.send(content);
}

function isAccepted(encoding: string, accepted: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted);
}

/** Reads a file. Throws 404 if a newer build has replaced it. */
async function loadFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw new Failure(NotFound);
  }
}
