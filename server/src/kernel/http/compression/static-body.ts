import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseCoding, compress, type ContentCoding } from "./content-codec.ts";
import { matchesEtag, weaken } from "./etag.ts";
import { addVary } from "./response-compressor.ts";

interface Loaded {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly coded: Map<ContentCoding, Promise<Buffer>>;
}

/** A body that is the same for all clients: created, tagged and compressed once, on the first request. */
export class StaticBody {
  readonly #mediaType: string;
  readonly #cacheControl: string;
  readonly #load: () => Promise<string | Buffer>;
  #loaded: Promise<Loaded> | undefined;

  constructor(mediaType: string, cacheControl: string, load: () => Promise<string | Buffer>) {
    this.#mediaType = mediaType;
    this.#cacheControl = cacheControl;
    this.#load = load;
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { bytes, etag, coded } = await (this.#loaded ??= this.#prepare());
    const coding = chooseCoding(request.headers["accept-encoding"]?.toString() ?? "");
    addVary(reply, "accept-encoding");
    reply.header("cache-control", this.#cacheControl);
    reply.header("etag", coding === undefined ? etag : weaken(etag));
    if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    reply.type(this.#mediaType);
    if (coding === undefined) return reply.send(bytes);
    const compressed = coded.get(coding) ?? compress(bytes, coding, "often");
    coded.set(coding, compressed);
    return reply.header("content-encoding", coding).send(await compressed);
  }

  async #prepare(): Promise<Loaded> {
    try {
      const bytes = Buffer.from(await this.#load());
      const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
      return { bytes, etag: `"${digest}"`, coded: new Map() };
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }
}
