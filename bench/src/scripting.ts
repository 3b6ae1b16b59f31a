import type { Product } from "./endpoint.ts";
import { asMember } from "./request.ts";

/** The workspace of hostile scripts. */
export const NOISY = "noisy";

/** Creates the workspace for hostile scripts. */
export async function makeNoisy(product: Product): Promise<void> {
  const body = { name: "Noisy", slug: NOISY };
  await call(product, { workspace: "default", path: "/api/v1/workspaces", body });
}

/** Saves a script as an artifact and returns its path. */
export async function saved(
  product: Product,
  workspace: string,
  script: { readonly name: string; readonly source: string; readonly timeoutMs: number },
): Promise<string> {
  const { name, source: scriptSource, timeoutMs } = script;
  const body = { name, artifactType: "workflow_node", detail: { scriptSource, timeoutMs } };
  const answer = await call(product, { workspace, path: "/api/flowsdk/artifacts", body });
  const { data } = (await answer.json()) as { data: { id: string } };
  return `/api/flowsdk/artifacts/${data.id}`;
}

export interface Call {
  readonly workspace: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** Sends a POST. Throws if it is rejected. */
export async function call(
  { port, token }: Product,
  { workspace, path, body, signal }: Call,
): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...asMember(token), "x-workspace": workspace, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}
