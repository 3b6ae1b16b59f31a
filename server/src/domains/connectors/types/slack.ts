import Type, { type Static } from "typebox";
import { line, object } from "#kernel/schema/schema.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import { type AuthFields, credential } from "../auth.ts";
import { MASK } from "../credentials.ts";
import { excerpt } from "../upstream/response.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { callHttp } from "../upstream/http.ts";
import { AddressSchema, urlErrors, urlOf } from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { action, connectorType, limits } from "./connector-type.ts";

const API = "https://slack.com/api";

const config = object({
  webhookUrl: Type.Optional(credential("URL of an incoming webhook, for the action `webhook`")),
  apiUrl: Type.Optional(AddressSchema(`Default: ${API}. Set it for GovSlack`)),
  ...limits,
});
type Config = Static<typeof config>;

const Blocks = Type.Array(Type.Record(Type.String(), Type.Unknown()), {
  maxItems: 50,
  description: "Blocks of the Slack Block Kit",
});

const Message = object({
  channel: line(200, "Id or name of the channel"),
  text: Type.Optional(line(40_000)),
  blocks: Type.Optional(Blocks),
  threadTs: Type.Optional(line(50, "`ts` of the message to reply to")),
  username: Type.Optional(line(200)),
  iconEmoji: Type.Optional(line(100)),
});

const HookMessage = object({ text: Type.Optional(line(40_000)), blocks: Type.Optional(Blocks) });

/** Slack, by a bot's token, an incoming webhook, or both. */
export const slack = connectorType({
  type: "slack",
  summary: "Slack messages with a bot token (auth `bearer`) or an incoming webhook",
  config,
  authKinds: ["none", "bearer"],
  actions: [
    action<Config, typeof Message>({
      name: "post_message",
      summary: "Posts to a channel as the bot. Returns the `channel` and `ts` of the message",
      input: Message,
      isOffered: (_config, auth) => auth.kind === "bearer",
      async run(connection, { threadTs, iconEmoji, ...message }) {
        const { channel, ts } = await callApi(connection, "chat.postMessage", {
          ...message,
          ...(threadTs !== undefined && { thread_ts: threadTs }),
          ...(iconEmoji !== undefined && { icon_emoji: iconEmoji }),
        });
        return { channel, ts };
      },
    }),
    action<Config, typeof HookMessage>({
      name: "webhook",
      summary: "Posts to the channel of the incoming webhook",
      input: HookMessage,
      isOffered: ({ webhookUrl }) => webhookUrl !== undefined,
      async run(connection, message) {
        await callHook(connection, message);
        return { ok: true };
      },
    }),
  ],
  check: (platform, { webhookUrl, apiUrl }, auth) => [
    ...faultsOfMeans(webhookUrl, auth),
    ...(apiUrl === undefined ? [] : urlErrors(platform, "/config/apiUrl", apiUrl)),
    ...(webhookUrl === undefined ||
    webhookUrl === MASK ||
    findSecretReferences(webhookUrl).length > 0
      ? []
      : urlErrors(platform, "/config/webhookUrl", webhookUrl)),
  ],
  async test(connection) {
    if (connection.auth.kind === "bearer") await callApi(connection, "auth.test", {});
    if (connection.config.webhookUrl !== undefined) await tryHook(connection);
    return { status: 200 };
  },
});

function faultsOfMeans(webhookUrl: string | undefined, auth: AuthFields): FieldError[] {
  if (auth.kind === "bearer" || webhookUrl !== undefined) return [];
  return [{ path: "/config/webhookUrl", message: "is required without a bot token" }];
}

/** Calls the Slack API, which reports errors in responses with status 200. */
async function callApi(
  connection: UpstreamConnection<Config>,
  method: string,
  message: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await callHttp(connection, {
    method: "POST",
    url: urlOf(`${connection.config.apiUrl ?? API}/${method}`),
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(message),
  });
  const answer = Object(body) as Record<string, unknown>;
  if (answer["ok"] === true) return answer;
  const code = typeof answer["error"] === "string" ? answer["error"] : "unknown";
  throw new UpstreamError(connection.scrubber.scrub(`Slack rejected the request: ${code}`), {
    status,
    code: connection.scrubber.scrub(code),
    body: excerpt(body, connection.scrubber),
  });
}

function callHook(connection: UpstreamConnection<Config>, message: object) {
  return callHttp(
    // The address is the credential.
    { ...connection, auth: { kind: "none" } },
    {
      method: "POST",
      url: urlOf(connection.config.webhookUrl ?? ""),
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
    },
  );
}

/** Tests a webhook with an empty message: a valid webhook rejects it, and nothing is posted. */
async function tryHook(connection: UpstreamConnection<Config>): Promise<void> {
  try {
    await callHook(connection, {});
  } catch (error) {
    const { status, body } = error instanceof UpstreamError ? error.particulars : {};
    if (status !== 400 || !/no_text|invalid_payload|missing_text/.test(String(body))) throw error;
  }
}
