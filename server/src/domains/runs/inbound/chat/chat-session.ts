/**
 * Conversations of a chat. Agent memories use the conversation id as a key, next to other keys of the workspace. An
 * id is accepted only if this chat issued it; otherwise a caller could read the memory of another conversation.
 */
import { randomBytes } from "node:crypto";
import Type from "typebox";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { get as getRun, type StoredRun } from "../../store.ts";
import { inboundQuery } from "../form-operations.ts";
import type { FoundTrigger } from "../hook-trigger.ts";

export const chatQuery = object({
  ...inboundQuery.properties,
  triggerId: Type.Optional(line(40, "Id of an additional trigger")),
});

/** The form of an id. */
export const SessionId = Type.String({ pattern: "^[A-Za-z0-9_-]{16,64}$" });

const NONCE_BYTES = 18;
const NONCE_CHARACTERS = 24;
const MARK_CHARACTERS = 24;

export function newSessionId(platform: Platform, found: FoundTrigger<"chat">): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return `${nonce}${markSession(platform, found, nonce)}`;
}

/** True for an id issued by this chat. */
export function isSessionId(
  platform: Platform,
  found: FoundTrigger<"chat">,
  sessionId: string,
): boolean {
  const mark = markSession(platform, found, sessionId.slice(0, NONCE_CHARACTERS));
  const given = sessionId.slice(NONCE_CHARACTERS);
  return equalBytes(Buffer.from(given), Buffer.from(mark));
}

function markSession(
  { masterKey }: Platform,
  { target, named, environment }: FoundTrigger<"chat">,
  nonce: string,
): string {
  const text = [target.workflowId, environment, named.id, nonce].join(" ");
  const mark = hmac(masterKey.derive("chat sessions"), text).toString("base64url");
  return mark.slice(0, MARK_CHARACTERS);
}

/** Finds the run and the conversation for a message. Throws 404 if not found in this chat. */
export async function findMessage(
  platform: Platform,
  { target, environment }: FoundTrigger<"chat">,
  runId: string,
): Promise<{
  readonly run: StoredRun;
  readonly sessionId: string;
  readonly partition: Partition;
}> {
  const partition = { workspace: target.workspace, environment };
  const run = await platform.db.read(partition, (tx) => getRun(tx, runId));
  const { sessionId } = Object(run.trigger["input"]) as { readonly sessionId?: unknown };
  const isMessage = run.workflowId === target.workflowId && run.triggerType === "chat";
  if (!isMessage || typeof sessionId !== "string") throw new Failure(NotFound);
  return { run, sessionId, partition };
}
