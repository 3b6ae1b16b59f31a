import { findRights } from "#domains/identity/accounts/index.ts";
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
import { Failure, Forbidden, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import { toCheckpoint } from "../engine/checkpoint.ts";
import { foldJournal } from "../engine/journal-record.ts";
import { type PreparedStart, startInline, writeRunStart } from "../start/start-run.ts";
import { readJournals } from "../engine/store.ts";
import { startEvents } from "../events.ts";
import { waitUntilEnded } from "../run-watch.ts";
import { headerOf, isSigned, type SignatureRule } from "./signature.ts";
import { toWebhookResponse } from "./webhook-response.ts";

/** The address of a webhook trigger, as a sender knows it. */
export interface HookAddress {
  readonly slug: string;
  readonly token: string;
  readonly environment: EnvironmentName;
}

/** The deployed workflow that a request to an address starts. */
interface HookTarget {
  readonly workspace: string;
  readonly workflowId: string;
  readonly version: PlannedVersion;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

const CACHE_MS = 10_000;
const CACHE_ENTRIES_MAX = 10_000;

/** Finds the workflow of an address; undefined where there is none, or its trigger is off. */
function findHook(platform: Platform, address: HookAddress): Promise<HookTarget | undefined> {
  let cache = caches.get(platform);
  if (!cache) caches.set(platform, (cache = new HookCache(platform)));
  return cache.find(address);
}

const caches = new WeakMap<Platform, HookCache>();

/** Caches targets until an event of their workflow. */
class HookCache {
  readonly #platform: Platform;
  readonly #entries = new Map<string, { readonly target: HookTarget; readonly untilMs: number }>();
  #invalidations = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.commitFeed.subscribe(["workflow", "user"], (notice) => this.#invalidate(notice));
  }

  async find(address: HookAddress): Promise<HookTarget | undefined> {
    const { clock } = this.#platform;
    const key = `${address.slug} ${address.token} ${address.environment}`;
    const known = this.#entries.get(key);
    if (known && known.untilMs > clock.nowMs()) return known.target;
    const invalidations = this.#invalidations;
    const target = await this.#load(address);
    // A target that was read before an invalidation may be stale.
    if (target && invalidations === this.#invalidations) {
      if (this.#entries.size >= CACHE_ENTRIES_MAX) this.#entries.clear();
      this.#entries.set(key, { target, untilMs: clock.nowMs() + CACHE_MS });
    }
    return target;
  }

  async #load(address: HookAddress): Promise<HookTarget | undefined> {
    const found = await findByHook(this.#platform.db, address);
    const version = found && (await planOfVersion(this.#platform, found.versionId));
    return version && { ...found, version };
  }

  #invalidate({ type, resourceId }: CommitNotice): void {
    // Events of runs are frequent, and none changes what is deployed.
    if (type.startsWith("workflow.run_")) return;
    this.#invalidations += 1;
    for (const [key, { target }] of this.#entries) {
      // A deployment ends with the membership of whoever deployed it, too.
      const { workflowId, deployedBy } = target;
      if (workflowId === resourceId || deployedBy === resourceId) this.#entries.delete(key);
    }
  }
}

const SignatureInvalid = failure("signature_invalid", 401, "The request has no valid signature.");

/** Checks the signature that the trigger demands, and reads the request as `trigger.input`. */
async function readWebhookInput(
  platform: Platform,
  target: HookTarget,
  { request }: Caller,
): Promise<Readonly<Record<string, unknown>>> {
  if (!request) throw new Error("A request came without itself.");
  const { trigger } = target.version.definition;
  const rule = trigger.type === "webhook" ? trigger.signature : undefined;
  if (rule && !(await hasValidSignature(platform, target, { rule, request }))) {
    throw new Failure(SignatureInvalid);
  }
  const { bytes, mediaType, headers, query } = request;
  const hidden = [...CREDENTIALS, ...(rule ? [headerOf(rule)] : [])];
  const visible = Object.entries(headers).filter(([name]) => !hidden.includes(name));
  return { body: parseAnyBody(bytes, mediaType), headers: Object.fromEntries(visible), query };
}

/** Credentials of the sender are not for readers of the run. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

async function hasValidSignature(
  platform: Platform,
  { workspace, deployedBy: runAs, permissions }: HookTarget,
  { rule, request }: { readonly rule: SignatureRule; readonly request: RawRequest },
): Promise<boolean> {
  const { bytes, headers } = request;
  try {
    const { value: key } = await platform.secrets.resolve(workspace, rule.secret, () =>
      findRights(platform, workspace, { runAs, permissions }),
    );
    const signed = { bytes, header: headers[headerOf(rule)], nowMs: platform.clock.nowMs() };
    return isSigned(signed, key, rule);
  } catch (error) {
    // Without its key no signature is valid, and which key is missing is not for strangers.
    const isKeyless =
      error instanceof Failure && (error.type === UnknownSecret || error.type === Forbidden);
    if (isKeyless) return false;
    throw error;
  }
}

const WAIT_MAX_MS = 30_000;

const WebhookRunFailed = failure(
  "run_failed",
  500,
  "The workflow failed before it gave an answer.",
);

const Accepted = Type.Object(
  { runId: id("run"), status: Type.String({ description: "Of the run, by now" }) },
  { title: "AcceptedRequest" },
);

/** A response, and the run that is still to give another one. */
interface ReceivedRequest extends RawResponse {
  readonly awaited?: PreparedStart;
}

export const receiveWebhook = command({
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
  response: rawResponse<ReceivedRequest>(Accepted, "What the workflow answers."),
  emits: startEvents,
  fails: [SignatureInvalid, RateLimited, WebhookRunFailed],
  example: { params: { workspace: "default", token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" } },
  async prepare(platform, { params, query: { environment = "production" } }, caller) {
    const { workspace: slug, token } = params;
    const target = await findHook(platform, { slug, token, environment });
    if (!target) throw new Failure(NotFound);
    platform.rateLimit.assert(`hook ${target.workflowId}`, platform.settings.rateLimit);
    const { cause, actor } = caller;
    return startInline(platform, {
      workspace: target.workspace,
      environment,
      version: target.version,
      triggerType: "webhook",
      trigger: { type: "webhook", input: await readWebhookInput(platform, target, caller) },
      actor,
      runAs: target.deployedBy,
      permissions: target.permissions,
      cause: { ...cause, depth: cause.depth + 1 },
    });
  },
  async run(ctx, _input, prepared): Promise<ReceivedRequest | Failure> {
    const { run, start, execution, result } = prepared;
    const { plan, versionId } = start.version;
    const response = execution && toWebhookResponse(plan, execution.steps);
    const status = execution
      ? toCheckpoint(execution, result).status
      : run.limited
        ? "queued"
        : "running";
    ctx.switchPartition({ workspace: run.workspace, environment: run.environment });
    const hold = result ? true : holdVersion(ctx.tx, versionId);
    const [, isKept] = await Promise.all([writeRunStart(ctx, prepared), hold]);
    if (!isKept) throw new Failure(NotFound);
    if (response) return response;
    const accepted = toAcceptedResponse(run.id, status);
    if (!plan.answers) return accepted;
    if (!result) return { ...accepted, awaited: prepared };
    return status === "failed" ? toRunFailure(run.id) : accepted;
  },
  async afterCommit(platform, _input, { value: { awaited }, caller }) {
    return awaited && awaitResponse(platform, awaited, caller.disconnected);
  },
});

/** Waits for the run, and responds with its respond step or with its status. */
async function awaitResponse(
  platform: Platform,
  { run, start }: PreparedStart,
  gone: AbortSignal | undefined,
): Promise<ReceivedRequest | undefined> {
  const { id: runId, workspace, environment } = run;
  const waitOptions = { waitMs: WAIT_MAX_MS, gone };
  const ended = await waitUntilEnded(platform, { workspace, environment }, runId, waitOptions);
  const entries = await readJournals(platform, [runId]);
  const steps = foldJournal(entries.flatMap(({ records }) => [...records]));
  const response = toWebhookResponse(start.version.plan, steps);
  if (response) return response;
  if (ended?.status === "failed" || ended?.status === "cancelled") throw toRunFailure(runId);
  return ended && toAcceptedResponse(runId, ended.status);
}

function toAcceptedResponse(runId: string, status: string): ReceivedRequest {
  const body = JSON.stringify({ data: { runId, status } });
  return { status: 202, headers: { "content-type": "application/json; charset=utf-8" }, body };
}

/** Names the run alone: the error is for readers of the run. */
function toRunFailure(runId: string): Failure {
  return new Failure(WebhookRunFailed, { extra: { runId } });
}
