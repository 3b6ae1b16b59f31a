/** The step host on a server: authority of the run, workspace and variables, operations, files. */
import { requireRights } from "#domains/identity/accounts/index.ts";
import { readVariables } from "#domains/variables/index.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import type { RunContext, WorkspaceFacts } from "../engine/run-context.ts";
import { beginText } from "../live-text/begin-text.ts";
import { performOperation } from "../steps/perform-operation.ts";
import { StepFiles } from "../steps/step-files.ts";
import type { StepHost } from "./step-host.ts";

export const serverHost: StepHost = {
  rights: (platform, run) => requireRights(platform, run.workspace, run),
  workspace: readWorkspaceFacts,
  variables: readVariables,
  perform: performOperation,
  files: (step, rights) => new StepFiles(step, rights),
  beginText,
};

/** Changes of name or time zone become visible after this time. */
const FRESH_MS = 5_000;
const WORKSPACES_MAX = 10_000;

interface CachedFacts {
  readonly facts: WorkspaceFacts;
  readonly untilMs: number;
}

const caches = new WeakMap<Platform["db"], BoundedCache<CachedFacts>>();

/** Reads the workspace of a run. Recent values come from memory. */
export async function readWorkspaceFacts(
  { db }: Platform,
  { workspace, environment }: Pick<RunContext, "workspace" | "environment">,
): Promise<WorkspaceFacts> {
  const cache = caches.get(db) ?? new BoundedCache<CachedFacts>(WORKSPACES_MAX);
  caches.set(db, cache);
  const cached = cache.get(workspace);
  if (cached && cached.untilMs > performance.now()) return cached.facts;
  const { id, slug, name, timezone } = await db.read({ workspace, environment }, (tx) =>
    workspaceOf(tx, workspace),
  );
  const facts = { id, slug, name, timezone };
  cache.set(workspace, { facts, untilMs: performance.now() + FRESH_MS }, 1);
  return facts;
}
