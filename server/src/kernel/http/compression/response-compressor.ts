import type { FastifyReply, FastifyRequest } from "fastify";
import { operationOf } from "../routing/operation-match.ts";
import { chooseCoding, compress, type ContentCoding } from "./content-codec.ts";
import { weaken } from "./etag.ts";

/** A shorter text fits a packet or two as it is. */
const COMPRESSED_CHARACTERS_MIN = 2_048;
/** The text that is compressed at any time, in characters; beyond it responses are sent as they are. */
const IN_PROGRESS_CHARACTERS_MAX = 32 * 1024 * 1024;

const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|xml|yaml)|image\/svg)/;

type Done = (error: null, payload: unknown) => void;

/**
 * Compresses texts for clients that accept it, in threads of the pool: what the event loop does for it is to look
 * at the length of each body, and at two headers of the long ones.
 */
export class ResponseCompressor {
  #inProgress = 0;

  /** Passes the payload on, compressed or not. */
  compress(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
    if (typeof payload !== "string" || payload.length < COMPRESSED_CHARACTERS_MIN) {
      return done(null, payload);
    }
    if (!isCompressible(request, reply)) return done(null, payload);
    addVary(reply, "accept-encoding");
    const coding = chooseCoding(request.headers["accept-encoding"]?.toString() ?? "");
    const isFull = this.#inProgress + payload.length > IN_PROGRESS_CHARACTERS_MAX;
    if (coding === undefined || isFull || request.method === "HEAD") return done(null, payload);
    void this.#compress(reply, payload, coding, done);
  }

  /** Passes the payload on as it is, should the compression fail. */
  async #compress(
    reply: FastifyReply,
    payload: string,
    coding: ContentCoding,
    done: Done,
  ): Promise<void> {
    this.#inProgress += payload.length;
    const bytes = await compress(Buffer.from(payload), coding, "once").catch(() => undefined);
    this.#inProgress -= payload.length;
    if (!bytes) return done(null, payload);
    reply.header("content-encoding", coding);
    // A strong tag would promise the very same bytes.
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
 * A page for one person is sent as it is: it may repeat words of its address beside what nobody else may know, and
 * its compressed length would tell whoever listens which of his guesses is in it (BREACH).
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
