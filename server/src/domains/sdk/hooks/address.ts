/** The address of a webhook handler: its module and name, and a secret that only its senders know. */
import { randomBytes } from "node:crypto";
import type { Caller } from "#kernel/access/caller.ts";
import { equalBytes } from "#kernel/access/crypto.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { ArtifactsWrite } from "../permissions.ts";

const TOKEN_BYTES = 24;

export function newHookToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Adds its address to a webhook handler, for those who may change it. */
export function withHookUrl(caller: Caller, artifact: Artifact): Artifact {
  const { hookToken, moduleKey, name, detail } = artifact;
  const memberships = [...(caller.credential?.memberships.values() ?? [])];
  const member = memberships.find(({ workspace }) => workspace.id === caller.workspace?.id);
  if (hookToken === null || !member || !caller.permissions.has(ArtifactsWrite.name))
    return artifact;
  const path = [member.workspace.slug, moduleKey, name].map(encodeURIComponent).join("/");
  const secret = detail.openAddress ? "" : `/${hookToken}`;
  return { ...artifact, url: `${caller.origin}/hooks/${path}${secret}` };
}

/** True when a request came to the address of a handler, with its secret or where it needs none. */
export function isAddressed(
  { hookToken, detail }: Pick<Artifact, "hookToken" | "detail">,
  token: string | undefined,
): boolean {
  if (token === undefined) return detail.openAddress === true;
  return hookToken !== null && equalBytes(Buffer.from(hookToken), Buffer.from(token));
}
