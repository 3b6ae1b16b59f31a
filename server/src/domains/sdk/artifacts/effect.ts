/** The effect of a change of an artifact: what is active runs at once, with the rights of whoever saved it. */
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { Effect, EffectRule } from "#kernel/operation/effect.ts";
import type { ARTIFACT_STATUSES } from "./artifact.ts";
import { get } from "./store.ts";

interface StatusInput {
  readonly body: { readonly status?: (typeof ARTIFACT_STATUSES)[number] | undefined };
}

/** To create an artifact is drastic where it is active at once. */
export async function creationEffect({ body }: StatusInput): Promise<Effect> {
  return body.status === "active" ? "drastic" : "ordinary";
}

/** To change an artifact is drastic where it is active before or after. */
export const changeEffect: EffectRule<
  StatusInput & { readonly params: { readonly id: string } }
> = async ({ params, body }, { platform, caller }) => {
  if (body.status === "active") return "drastic";
  const before = await platform.db.read(partitionOfCaller(caller), (tx) => get(tx, params.id));
  return before.status === "active" ? "drastic" : "ordinary";
};
