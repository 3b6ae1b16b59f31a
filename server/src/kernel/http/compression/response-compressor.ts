import type { FastifyReply, FastifyRequest } from "fastify";
import { runForWorkspace } from "#kernel/work/turn-timer.ts";
import { operationOf } from "../routing/operation-match.ts";
import { chooseCoding, compress, type ContentCoding } from "./content-codec.ts";
import { encodeInTurns, isLongText } from "./encode-text.ts";
import { weaken } from "./etag.ts";

/** A shorter text fits a packet or two as it is. */
const COMPRESSED_CHARACTERS_MIN = 2_048;
/** The bytes that are compressed at any time; beyond them responses are sent as they are. */
const IN_PROGRESS_BYTES_MAX = 32 * 1024 * 1024;

const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|xml|yaml)|image\/svg)/;

type Done = (error: null, payload: unknown) => void;

/**
 * Compresses texts for clients that accept it, in threads of the pool: what the event loop does for it is to look
 * at the length of each body, and at two headers of the long ones. The longest texts become bytes in turns.
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

  /** The coding that the client accepts and that there is room for. */
  #choose(request: FastifyRequest, reply: FastifyReply, payload: string) {
    if (!isCompressible(request, reply)) return undefined;
    addVary(reply, "accept-encoding");
    const isFull = this.#inProgress + payload.length > IN_PROGRESS_BYTES_MAX;
    if (isFull || request.method === "HEAD") return undefined;
    return chooseCoding(request.headers["accept-encoding"]?.toString() ?? "");
  }

  /** Passes the payload on as it is, should the compression fail. */
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
