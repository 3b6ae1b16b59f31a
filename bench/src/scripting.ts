import type { Product } from "./endpoint.ts";
import { asMember } from "./request.ts";

/** The workspace of scripts that mean no good. */
export const NOISY = "noisy";

/** Makes the workspace in which scripts that mean no good run. */
export async function makeNoisy(product: Product): Promise<void> {
  const body = { name: "Noisy", slug: NOISY };
  await call(product, { workspace: "default", path: "/api/v1/workspaces", body });
}

/** Saves a script as an artifact; tells its path. */
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

/** Posts; throws where that is refused. */
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
