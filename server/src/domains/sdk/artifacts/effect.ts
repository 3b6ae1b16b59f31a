/** The effect of changing an artifact: active code runs immediately with the permissions of the user who saved it. */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { CallEffect } from "#kernel/access/call-effect.ts";
import type { Platform } from "#kernel/contract.ts";
import type { ARTIFACT_STATUSES } from "./artifact.ts";
import { get } from "./store.ts";

interface StatusInput {
  readonly body: { readonly status?: (typeof ARTIFACT_STATUSES)[number] | undefined };
}

/** Creating an artifact is drastic if it is active immediately. */
export async function creationEffect(
  _platform: Platform,
  { body }: StatusInput,
): Promise<CallEffect> {
  return body.status === "active" ? "drastic" : "ordinary";
}

/** Changing an artifact is drastic if it is active before or after. */
export async function changeEffect(
  platform: Platform,
  { params, body }: StatusInput & { readonly params: { readonly id: string } },
  caller: Caller,
): Promise<CallEffect> {
  if (body.status === "active") return "drastic";
  const before = await platform.db.read(partitionOfCaller(caller), (tx) => get(tx, params.id));
  return before.status === "active" ? "drastic" : "ordinary";
}
