/** Deliveries of other systems to subscribed triggers: verified, deduplicated, and answered immediately. */
import Type from "typebox";
import { assertOwnFiles } from "#domains/files/index.ts";
import { findRights } from "#domains/identity/accounts/index.ts";
import { holdVersion } from "#domains/workflows/index.ts";
import type { Caller, RawRequest } from "#kernel/access/caller.ts";
import { open, sha256 } from "#kernel/access/crypto.ts";
import {
  isSignedBy,
  SIGNATURE_PRESETS,
  type SignatureForm,
} from "#kernel/access/signature-form.ts";
import type { Platform } from "#kernel/contract.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, failure, Forbidden, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { type RawResponse, rawResponse } from "#kernel/operation/response.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { UnknownSecret } from "#kernel/secrets/secrets.ts";
import { valueAt } from "../openapi/run-action.ts";
import { listenerEvents, startRun } from "./poll.ts";
import { buildHookUrl, secretContext } from "./subscription.ts";
import { FIND_BY_TOKEN, type HookRow } from "./trigger-row.ts";
import {
  findConnector,
  findListeners,
  type HookSource,
  type Listener,
  findSource,
} from "./trigger-source.ts";

export const HookSignatureInvalid = failure(
  "signature_invalid",
  401,
  "The signature of the request is missing or not valid.",
);

/** The trigger of an address. */
interface HookTarget {
  readonly row: HookRow;
  readonly listener: Listener;
  readonly hook: HookSource;
  readonly form: SignatureForm;
}

async function findTarget(platform: Platform, token: string): Promise<HookTarget> {
  const [row] = await platform.db.system<HookRow & Record<string, unknown>>(FIND_BY_TOKEN, [token]);
  if (!row) throw new Failure(NotFound);
  const { workspace, environment, workflowId, triggerId } = row;
  const found = await platform.db.read({ workspace, environment }, async (tx) => {
    const all = await findListeners({ tx, services: platform }, workflowId, environment);
    const listener = all.find((one) => one.triggerId === triggerId);
    const connector = listener && (await findConnector(tx, listener.trigger));
    const trigger = listener?.trigger;
    const source =
      connector && trigger?.type === "connector" ? findSource(connector, trigger) : undefined;
    return listener && source?.kind === "hook" ? { listener, hook: source.hook } : undefined;
  });
  const form = found && SIGNATURE_PRESETS.get(found.hook.signature);
  if (!found || !form) throw new Failure(NotFound);
  return { row, ...found, form };
}

/** The signing key of a trigger: the key of its subscription, or the secret that its author names. */
async function findKey(platform: Platform, { row, listener }: HookTarget): Promise<string> {
  const { workspace, environment, sealed, token } = row;
  const { trigger, deployedBy: runAs, permissions } = listener;
  const reference = trigger.type === "connector" ? trigger.secret : undefined;
  if (reference === undefined) {
    if (!sealed) return "";
    const key = await platform.keys.of(workspace);
    return open(key, sealed, secretContext(workspace, token ?? "")).toString();
  }
  try {
    const rights = () => findRights(platform, workspace, { runAs, permissions });
    const here = { workspace, environment };
    return (await platform.secrets.resolve(here, reference, rights)).value;
  } catch (error) {
    // Without a key, no signature is valid; the error must not reveal which secret is missing.
    const isKeyless =
      error instanceof Failure && (error.type === UnknownSecret || error.type === Forbidden);
    if (isKeyless) return "";
    throw error;
  }
}

function requestOf({ request }: Caller): RawRequest {
  if (!request) throw new Error("A request came without itself.");
  return request;
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const ANSWER: RawResponse = { status: 200, headers: JSON_TYPE, body: '{"data":{"received":true}}' };
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

interface Received {
  readonly target: HookTarget;
  readonly input: Readonly<Record<string, unknown>>;
  readonly delivery: string | undefined;
  readonly answer: RawResponse | undefined;
}

const DELIVERED = `
  insert into connector_deliveries (workflow_id, delivery, received_at) values ($1, $2, $3)
  on conflict do nothing returning workflow_id`;
/** Services do not redeliver after a day, and signatures with a timestamp have expired by then. */
const FORGET = "delete from connector_deliveries where received_at < $1";
const KEPT_MS = 3 * 86_400_000;

const Answer = Type.Object({ received: Type.Boolean() }, { title: "ReceivedDelivery" });
const params = object({ token: line(200) });
const example = { params: { token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" } };

export const receiveConnectorHook = command({
  id: "connectors.receive",
  route: "POST /connector-hooks/{token}",
  summary: "Receive an event from another system",
  description:
    "The URL belongs to a `connector` trigger with a webhook. The request must have the signature of the service. A duplicate delivery does not start another run.",
  access: "public",
  readsRequest: true,
  params,
  response: rawResponse<RawResponse>(Answer, "Confirmation."),
  emits: listenerEvents,
  fails: [HookSignatureInvalid, RateLimited],
  allowNoop: true,
  example,
  async prepare(platform, { params: { token } }, caller): Promise<Received> {
    const target = await findTarget(platform, token);
    const { workflowId } = target.row;
    const limit = platform.settings.rateLimit;
    const source = `hook ${workflowId} from ${classifyAddress(caller.address)}`;
    platform.rateLimit.assert(source, limit);
    const { bytes, headers, mediaType, query: parameters } = requestOf(caller);
    const signed = {
      method: "POST",
      url: buildHookUrl(platform, token),
      bytes: Buffer.from(bytes),
      headers,
      nowMs: platform.clock.nowMs(),
    };
    if (!isSignedBy(target.form, await findKey(platform, target), signed)) {
      throw new Failure(HookSignatureInvalid);
    }
    // Unsigned requests must not use up the rate limit of valid ones.
    platform.rateLimit.assert(`hook ${workflowId}`, limit);
    const body = parseAnyBody(bytes, mediaType);
    const described = describe(target, { body, headers, query: parameters });
    assertOwnFiles(described.input);
    return { target, answer: challengeAnswer(target.form, body), ...described };
  },
  async run(ctx, _input, { target, input, delivery, answer }): Promise<RawResponse> {
    if (answer) return answer;
    const { row, listener } = target;
    const { workspace, environment, workflowId, triggerId } = row;
    ctx.switchPartition({ workspace, environment });
    if (delivery !== undefined) {
      void ctx.send(FORGET, [new Date(ctx.now.getTime() - KEPT_MS)]);
      const [fresh] = await ctx.send(DELIVERED, [
        workflowId,
        // Two triggers of a workflow may receive the same delivery.
        sha256(`${triggerId} ${delivery}`),
        ctx.now,
      ]);
      if (!fresh) return ANSWER;
    }
    if (!(await holdVersion(ctx.tx, listener.version.versionId))) throw new Failure(NotFound);
    startRun(ctx, listener, input, { workspace, environment });
    return ANSWER;
  },
});

/** The input of a run, and the id of the delivery. */
function describe(
  { form, hook }: HookTarget,
  {
    body,
    headers,
    query: parameters,
  }: {
    readonly body: unknown;
    readonly headers: Readonly<Record<string, string>>;
    readonly query: unknown;
  },
): Pick<Received, "input" | "delivery"> {
  const hidden = [...CREDENTIALS, form.header];
  const visible = Object.entries(headers).filter(([name]) => !hidden.includes(name));
  const { deliveryId, deliveryField } = form;
  const named = deliveryId === undefined ? undefined : headers[deliveryId];
  const field = deliveryField === undefined ? undefined : valueAt(body, deliveryField);
  const delivery =
    named ?? (field === undefined || field === null ? undefined : JSON.stringify(field));
  const [place, path = ""] = hook.event?.split(":") ?? [];
  const event =
    place === "header" ? headers[path] : place === "body" ? valueAt(body, path) : undefined;
  return {
    input: {
      body,
      headers: Object.fromEntries(visible),
      query: parameters,
      ...(event !== undefined && { event }),
    },
    delivery,
  };
}

/** Slack verifies the URL once, with a signed request. */
function challengeAnswer({ handshake }: SignatureForm, body: unknown): RawResponse | undefined {
  if (handshake !== "slack" || valueAt(body, "type") !== "url_verification") return undefined;
  const challenge = valueAt(body, "challenge");
  if (typeof challenge !== "string") return undefined;
  return {
    status: 200,
    headers: JSON_TYPE,
    body: JSON.stringify({ challenge: challenge.slice(0, 1_000) }),
  };
}

/** A service verifies once; more requests are attempts to guess the token. */
const CHECKS_PER_MINUTE = 20;

export const verifyConnectorHook = query({
  id: "connectors.verify",
  route: "GET /connector-hooks/{token}",
  summary: "Confirm the URL of a connector trigger",
  description:
    "Responds to the `hub.challenge` of Meta and similar services. The request must contain the secret of the trigger as token.",
  access: "public",
  readsRequest: true,
  params,
  query: object({
    "hub.mode": Type.Optional(line(50)),
    "hub.challenge": Type.Optional(line(1_000)),
    "hub.verify_token": Type.Optional(line(1_000)),
  }),
  response: rawResponse<RawResponse>(Type.String(), "The challenge."),
  fails: [HookSignatureInvalid, RateLimited],
  example,
  async prepare(platform, { params: { token }, query: asked }): Promise<RawResponse> {
    const target = await findTarget(platform, token);
    platform.rateLimit.assert(`hook check ${target.row.workflowId}`, CHECKS_PER_MINUTE);
    const { "hub.challenge": challenge, "hub.verify_token": given } = asked;
    if (target.form.handshake !== "meta" || challenge === undefined) throw new Failure(NotFound);
    const key = await findKey(platform, target);
    const form: SignatureForm = { header: "token", scheme: "token" };
    const request = {
      method: "GET",
      url: "",
      bytes: Buffer.alloc(0),
      headers: { token: given ?? "" },
      nowMs: 0,
    };
    if (!isSignedBy(form, key, request)) throw new Failure(HookSignatureInvalid);
    return { status: 200, headers: { "content-type": "text/plain" }, body: challenge };
  },
  run: async (_ctx, _input, answer) => answer,
});
