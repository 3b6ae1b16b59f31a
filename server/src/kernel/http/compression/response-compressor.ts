import type { FastifyReply, FastifyRequest } from "fastify";
import { runForWorkspace } from "#kernel/work/turn-timer.ts";
import { operationOf } from "../routing/operation-match.ts";
import { chooseCoding, compress, type ContentCoding } from "./content-codec.ts";
import { encodeInTurns, isLongText } from "./encode-text.ts";
import { weaken } from "./etag.ts";

/** A shorter text fits into one or two packets uncompressed. */
const COMPRESSED_CHARACTERS_MIN = 2_048;
/** The maximum bytes in compression at a time. Beyond this, responses are sent uncompressed. */
const IN_PROGRESS_BYTES_MAX = 32 * 1024 * 1024;

const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|xml|yaml)|image\/svg)/;

type Done = (error: null, payload: unknown) => void;

/**
 * Compresses texts in pool threads for clients that accept it. The event loop only checks the length of each
 * body, and two headers of long ones. The longest texts are encoded in several turns.
 */
export class ResponseCompressor {
  #inProgress = 0;

  /** Passes the payload on, compressed or not. */
  compress(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
    if (typeof payload !== "string" || payload.length < COMPRESSED_CHARACTERS_MIN) {
      return done(null, payload);
    }
    const coding = this.#choose(request, reply, payload);
    if (coding === undefined && !isLongText(payload)) return done(null, payload);
    void runForWorkspace(request.caller?.workspace?.key, async () => {
      const bytes = await encodeInTurns(payload);
      return coding === undefined ? done(null, bytes) : this.#compress(reply, bytes, coding, done);
    });
  }

  /** The coding that the client accepts, if the limit allows it. */
  #choose(request: FastifyRequest, reply: FastifyReply, payload: string) {
    if (!isCompressible(request, reply)) return undefined;
    addVary(reply, "accept-encoding");
    const isFull = this.#inProgress + payload.length > IN_PROGRESS_BYTES_MAX;
    if (isFull || request.method === "HEAD") return undefined;
    return chooseCoding(request.headers["accept-encoding"]?.toString() ?? "");
  }

  /** Passes the payload on uncompressed if the compression fails. */
  async #compress(
    reply: FastifyReply,
    text: Buffer,
    coding: ContentCoding,
    done: Done,
  ): Promise<void> {
    this.#inProgress += text.length;
    const bytes = await compress(text, coding, "once").catch(() => undefined);
    this.#inProgress -= text.length;
    if (!bytes) return done(null, text);
    reply.header("content-encoding", coding);
    // A strong tag would promise identical bytes.
    const etag = reply.getHeader("etag");
    if (typeof etag === "string") reply.header("etag", weaken(etag));
    done(null, bytes);
  }
}

/** Adds a request header on which the response depends. */
export function addVary(reply: FastifyReply, name: string): void {
  const present = reply.getHeader("vary");
  reply.header("vary", typeof present === "string" ? `${present}, ${name}` : name);
}

/**
 * Personal pages are not compressed: they can contain text from the address next to secrets, and an attacker
 * could guess the secrets from the compressed length (BREACH).
 */
function isCompressible(request: FastifyRequest, reply: FastifyReply): boolean {
  const type = reply.getHeader("content-type");
  return (
    typeof type === "string" &&
    COMPRESSIBLE.test(type) &&
    !reply.hasHeader("content-encoding") &&
    operationOf(request)?.access !== "visitor"
  );
}
