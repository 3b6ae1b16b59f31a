/** The address of a webhook handler: its module and name, and a secret that is only shared with its senders. */
import { randomBytes } from "node:crypto";
import type { Caller } from "#kernel/access/caller.ts";
import { equalBytes } from "#kernel/access/crypto.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { ArtifactsWrite } from "../permissions.ts";

const TOKEN_BYTES = 24;

export function newHookToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Adds its address to a webhook handler, for users who can edit it. */
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

/** True if a request was sent to the address of a handler, with its secret if required. */
export function isAddressed(
  { hookToken, detail }: Pick<Artifact, "hookToken" | "detail">,
  token: string | undefined,
): boolean {
  if (token === undefined) return detail.openAddress === true;
  return hookToken !== null && equalBytes(Buffer.from(hookToken), Buffer.from(token));
}
