/** The workflow trigger addressed by a request. */
import { assertOwnFiles, discardFiles, type ReceivedFile } from "#domains/files/index.ts";
import {
  type ChatTrigger,
  findInputErrors,
  FIRST_TRIGGER_ID,
  type FormTrigger,
  listTriggers,
  type NamedTrigger,
  triggerName,
  type WebhookTrigger,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/database.ts";
import { assertNoErrors, Failure, NotFound } from "#kernel/operation/failure.ts";
import { type PreparedStart, startInline } from "../start/start-run.ts";
import { findHook, type HookTarget } from "./hook-target.ts";

interface InboundTriggers {
  readonly webhook: WebhookTrigger;
  readonly form: FormTrigger;
  readonly chat: ChatTrigger;
}
type Inbound = keyof InboundTriggers;

/** The deployment for an address, with one of its triggers. */
export interface FoundTrigger<K extends Inbound> {
  readonly target: HookTarget;
  readonly named: NamedTrigger<InboundTriggers[K]>;
  readonly params: Readonly<Record<string, string>>;
  readonly environment: EnvironmentName;
}

export type AnyFoundTrigger = FoundTrigger<"webhook"> | FoundTrigger<"form"> | FoundTrigger<"chat">;

export interface InboundAddress {
  readonly workspace: string;
  readonly token: string;
  /** The path segments after the token. */
  readonly words: readonly string[];
  readonly environment: EnvironmentName;
}

/** Finds the trigger for an address. Throws 404 if none exists or it is inactive. */
export async function findInbound<K extends Inbound>(
  platform: Platform,
  type: K,
  { workspace: slug, token, words, environment }: InboundAddress,
): Promise<FoundTrigger<K>[]> {
  const target = await findHook(platform, { slug, token, type, environment });
  const all = target ? listTriggers(target.version.definition) : [];
  const isIts = (named: NamedTrigger): named is NamedTrigger<InboundTriggers[K]> =>
    named.trigger.type === type;
  const found = all.filter(isIts);
  const matches = found.flatMap((named) => {
    const params = matchPath(pathOfTrigger(named), words);
    return target && params ? [{ target, named, params, environment }] : [];
  });
  if (matches.length === 0) throw new Failure(NotFound);
  return matches;
}

function pathOfTrigger({ id, trigger, first }: NamedTrigger): string {
  const own = trigger.type === "webhook" ? trigger.path : undefined;
  return own ?? (first || id === FIRST_TRIGGER_ID ? "" : id);
}

/** Returns the path parameters if the segments match the path. */
function matchPath(
  path: string,
  words: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const parts = path === "" ? [] : path.split("/");
  if (parts.length !== words.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const word = words[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) params[name] = word;
    else if (part !== word) return undefined;
  }
  return params;
}

/** The partition of runs started by a trigger. */
export function partitionOfTrigger({ target, environment }: AnyFoundTrigger): Partition {
  return { workspace: target.workspace, environment };
}

/** Deletes the uploaded files if no run was started. */
export async function dropUploads(
  platform: Platform,
  found: AnyFoundTrigger,
  uploads: readonly ReceivedFile[] = [],
): Promise<void> {
  await discardFiles(platform, partitionOfTrigger(found), uploads);
}

/** Starts a run of a trigger with the input. Writes nothing yet. */
export async function startFound(
  platform: Platform,
  { target, named, environment }: AnyFoundTrigger,
  caller: Caller,
  {
    uploads,
    ...fields
  }: Readonly<Record<string, unknown>> & { readonly uploads?: readonly ReceivedFile[] },
): Promise<PreparedStart> {
  const { cause, actor } = caller;
  const { type } = named.trigger;
  const { workspace } = target;
  assertOwnFiles(fields, uploads);
  const errors = findInputErrors(named.trigger, fields["input"]);
  // Error paths are relative to the body because callers know only the body.
  assertNoErrors(errors.map((one) => ({ ...one, path: one.path.replace(/^\/body/, "") })));
  return startInline(platform, {
    workspace,
    environment,
    version: target.version,
    triggerType: type,
    trigger: { type, ...triggerName(target.version.definition, named.id), ...fields },
    ...(uploads && { uploads }),
    actor,
    runAs: target.deployedBy,
    permissions: target.permissions,
    cause: { ...cause, depth: cause.depth + 1 },
  });
}
