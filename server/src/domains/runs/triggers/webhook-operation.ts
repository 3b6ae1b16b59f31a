import Type from "typebox";
import {
  findByHook,
  holdVersion,
  type PlannedVersion,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { Caller, RawRequest } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import { checkpointOf } from "../engine/checkpoint.ts";
import { foldJournal } from "../engine/journal-record.ts";
import { type PreparedStart, startInline, writeRunStart } from "../start/start-run.ts";
import { readJournals } from "../engine/store.ts";
import { startEvents } from "../events.ts";
import { waitUntilEnded } from "../run-watch.ts";
import { headerOf, isSigned, type SignatureRule } from "./signature.ts";
import { toWebhookResponse } from "./webhook-response.ts";

/** The address of a workflow, as a sender knows it. */
export interface Address {
  readonly slug: string;
  readonly token: string;
  readonly environment: EnvironmentName;
}

/** What a request to an address starts. */
interface Hook {
  readonly workspace: string;
  readonly workflowId: string;
  readonly version: PlannedVersion;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

const KEPT_MS = 10_000;
const KEPT_MAX = 10_000;

/** Finds what an address starts; undefined where it is nobody's, or nothing is to start there. */
function findHook(platform: Platform, address: Address): Promise<Hook | undefined> {
  let hooks = all.get(platform);
  if (!hooks) all.set(platform, (hooks = new Hooks(platform)));
  return hooks.find(address);
}

const all = new WeakMap<Platform, Hooks>();

/** What was found lately, until something happens to the workflow. */
class Hooks {
  readonly #platform: Platform;
  readonly #kept = new Map<string, { readonly hook: Hook; readonly untilMs: number }>();
  #forgotten = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["workflow"], (notice) => this.#hear(notice));
  }

  async find(address: Address): Promise<Hook | undefined> {
    const { clock } = this.#platform;
    const key = `${address.slug} ${address.token} ${address.environment}`;
    const known = this.#kept.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.hook;
    const forgotten = this.#forgotten;
    const hook = await this.#look(address);
    // What was read before something happened may be old by now.
    if (hook && forgotten === this.#forgotten) {
      if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
      this.#kept.set(key, { hook, untilMs: clock.nowMs() + KEPT_MS });
    }
    return hook;
  }

  async #look(address: Address): Promise<Hook | undefined> {
    const found = await findByHook(this.#platform.db, address);
    const version = found && (await planOfVersion(this.#platform, found.versionId));
    return version && { ...found, version };
  }

  #hear({ type, resourceId }: CommitNotice): void {
    // Of its runs there is news all the time, and none that changes what is deployed.
    if (type.startsWith("workflow.run_")) return;
    this.#forgotten += 1;
    for (const [key, { hook }] of this.#kept) {
      if (hook.workflowId === resourceId) this.#kept.delete(key);
    }
  }
}

const SignatureInvalid = failure("signature_invalid", 401, "The request has no valid signature.");

/** What expressions see as `trigger.input`, of a request that has the signature which the trigger demands. */
async function readInput(
  platform: Platform,
  { workspace, version }: Hook,
  { request }: Caller,
): Promise<Readonly<Record<string, unknown>>> {
  if (!request) throw new Error("A request came without itself.");
  const { trigger } = version.definition;
  const rule = trigger.type === "webhook" ? trigger.signature : undefined;
  if (rule && !(await isGenuine(platform, workspace, { rule, request }))) {
    throw new Failure(SignatureInvalid);
  }
  const { bytes, mediaType, headers, query } = request;
  const hidden = [...CREDENTIALS, ...(rule ? [headerOf(rule)] : [])];
  const shown = Object.entries(headers).filter(([name]) => !hidden.includes(name));
  return { body: parseAnyBody(bytes, mediaType), headers: Object.fromEntries(shown), query };
}

/** What lets its sender in somewhere is for nobody who may read the run. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

async function isGenuine(
  platform: Platform,
  workspace: string,
  { rule, request }: { readonly rule: SignatureRule; readonly request: RawRequest },
): Promise<boolean> {
  const { bytes, headers } = request;
  try {
    const { value: key } = await platform.secrets.resolve(workspace, rule.secret);
    const signed = { bytes, header: headers[headerOf(rule)], nowMs: platform.clock.nowMs() };
    return isSigned(signed, key, rule);
  } catch (error) {
    // Without its key nothing is genuine, and which key is missing is not for strangers.
    if (error instanceof Failure && error.type === UnknownSecret) return false;
    throw error;
  }
}

const WAIT_MAX_MS = 30_000;

const RunFailed = failure("run_failed", 500, "The workflow failed before it gave an answer.");

const Accepted = Type.Object(
  { runId: id("run"), status: Type.String({ description: "Of the run, by now" }) },
  { title: "AcceptedRequest" },
);

/** What a request came to: an answer, and the run that is to give another one. */
interface Received extends RawResponse {
  readonly awaited?: PreparedStart;
}

export const receiveRequest = command({
  id: "hooks.receive",
  route: "POST /hooks/{workspace}/{token}",
  summary: "Start a workflow from outside, by its own address",
  description:
    "The address is `trigger.url` of a workflow with a `webhook` trigger. Any body will do: JSON, a " +
    "form and other text reach expressions as `trigger.input.body`, beside `headers` and `query`. Where " +
    "the trigger demands a signature, the request must have it. The answer is 202 with the run's id; " +
    "of a workflow with a `respond` step it is what that step says, as soon as the run is over, or 202 " +
    `after ${WAIT_MAX_MS / 1_000} seconds. An answer sets no cookies.`,
  access: "public",
  readsRequest: true,
  longRunning: true,
  params: object({ workspace: line(200), token: line(200) }),
  query: object({
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Where it is deployed; `production` unless given",
      }),
    ),
  }),
  response: rawResponse<Received>(Accepted, "What the workflow answers."),
  emits: startEvents,
  fails: [SignatureInvalid, RateLimited, RunFailed],
  example: { params: { workspace: "default", token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" } },
  async prepare(platform, { params, query: { environment = "production" } }, caller) {
    const { workspace: slug, token } = params;
    const hook = await findHook(platform, { slug, token, environment });
    if (!hook) throw new Failure(NotFound);
    platform.rateLimit.assert(`hook ${hook.workflowId}`, platform.settings.rateLimit);
    const { cause, actor } = caller;
    return startInline(platform, {
      workspace: hook.workspace,
      environment,
      version: hook.version,
      triggerType: "webhook",
      trigger: { type: "webhook", input: await readInput(platform, hook, caller) },
      actor,
      runAs: hook.deployedBy,
      permissions: hook.permissions,
      cause: { ...cause, depth: cause.depth + 1 },
    });
  },
  async run(ctx, _input, beginning): Promise<Received | Failure> {
    const { facts, start, execution, over } = beginning;
    const { plan, versionId } = start.version;
    const answer = execution && toWebhookResponse(plan, execution.steps);
    const status = execution
      ? checkpointOf(execution, over).status
      : facts.limited
        ? "queued"
        : "running";
    ctx.switchPartition({ workspace: facts.workspace, environment: facts.environment });
    const held = over ? true : holdVersion(ctx.tx, versionId);
    const [, isThere] = await Promise.all([writeRunStart(ctx, beginning), held]);
    if (!isThere) throw new Failure(NotFound);
    if (answer) return answer;
    const accepted = acceptedAs(facts.id, status);
    if (!plan.answers) return accepted;
    if (!over) return { ...accepted, awaited: beginning };
    return status === "failed" ? failed(facts.id) : accepted;
  },
  async afterCommit(platform, _input, { value: { awaited }, caller }) {
    return awaited && whenAnswered(platform, awaited, caller.disconnected);
  },
});

/** What a run that has begun comes to. */
async function whenAnswered(
  platform: Platform,
  { facts, start }: PreparedStart,
  gone: AbortSignal | undefined,
): Promise<Received | undefined> {
  const { id: runId, workspace, environment } = facts;
  const patience = { waitMs: WAIT_MAX_MS, gone };
  const run = await waitUntilEnded(platform, { workspace, environment }, runId, patience);
  const entries = await readJournals(platform, [runId]);
  const steps = foldJournal(entries.flatMap(({ records }) => [...records]));
  const answer = toWebhookResponse(start.version.plan, steps);
  if (answer) return answer;
  if (run?.status === "failed" || run?.status === "cancelled") throw failed(runId);
  return run && acceptedAs(runId, run.status);
}

function acceptedAs(runId: string, status: string): Received {
  const body = JSON.stringify({ data: { runId, status } });
  return { status: 202, headers: { "content-type": "application/json; charset=utf-8" }, body };
}

/** Why is for those who may read the run. */
function failed(runId: string): Failure {
  return new Failure(RunFailed, { extra: { runId } });
}
