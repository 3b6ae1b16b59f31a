import type { FastifyReply } from "fastify";
import type { Caller } from "../access/caller.ts";
import type { Operation, Platform } from "../contract.ts";

/**
 * Says before a page's read begins where the log stood: what that page follows from there holds all that this answer does
 * not. It is known already, so that a read takes no longer for it; a program reads the position of a topic instead.
 */
export function setLogPosition(
  { kind }: Operation,
  { credential }: Caller,
  reply: FastifyReply,
  { commitFeed }: Platform,
): void {
  if (kind !== "query" || credential?.kind !== "session") return;
  const { settledId } = commitFeed;
  if (settledId !== undefined) reply.header("x-log-position", settledId);
}
