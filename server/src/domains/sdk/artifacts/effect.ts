/** The effect of a change of an artifact: what is active runs at once, with the rights of whoever saved it. */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { CallEffect } from "#kernel/access/call-effect.ts";
import type { Platform } from "#kernel/contract.ts";
import type { ARTIFACT_STATUSES } from "./artifact.ts";
import { get } from "./store.ts";

interface StatusInput {
  readonly body: { readonly status?: (typeof ARTIFACT_STATUSES)[number] | undefined };
}

/** To create an artifact is drastic where it is active at once. */
export async function creationEffect(
  _platform: Platform,
  { body }: StatusInput,
): Promise<CallEffect> {
  return body.status === "active" ? "drastic" : "ordinary";
}

/** To change an artifact is drastic where it is active before or after. */
export async function changeEffect(
  platform: Platform,
  { params, body }: StatusInput & { readonly params: { readonly id: string } },
  caller: Caller,
): Promise<CallEffect> {
  if (body.status === "active") return "drastic";
  const before = await platform.db.read(partitionOfCaller(caller), (tx) => get(tx, params.id));
  return before.status === "active" ? "drastic" : "ordinary";
}
