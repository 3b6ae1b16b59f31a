/** Tests every preset: its file, the request of each action, and a connector that uses it. */
import { expect, test } from "vitest";
import { Value } from "typebox/value";
import { authErrors, type AuthFields } from "../auth.ts";
import { buildRequest } from "../openapi/request.ts";
import { valueAt } from "../openapi/run-action.ts";
import { CONNECTORS, createConnector, useHttpConnectors } from "../testing/connector.ts";
import { json } from "../testing/upstream.ts";
import { CONNECTOR_TYPES } from "../types/registry.ts";
import { findPreset, listPresetIds, type LoadedPreset, readPreset } from "./catalogue.ts";
import { Preset } from "./preset.ts";
import { SIGNATURE_PRESETS } from "#kernel/access/signature-form.ts";
import { exampleInput } from "./testing/example-input.ts";

const { upstream, owner } = await useHttpConnectors();

const ids = listPresetIds();
const all = ids.map((id) => findPreset(id) as LoadedPreset);
const BASE = "https://api.example.com/base";

test("each file matches the schema, and has its own name, test and guide entry", () => {
  const wrong = ids.flatMap((id) => {
    const file = readPreset(id);
    const errors = Value.Errors(Preset, file).map(({ instancePath, message }) => ({
      id,
      instancePath,
      message,
    }));
    const { connector, test: tested, baseUrl, actions } = file;
    const isWhole =
      file.id === id &&
      (connector
        ? CONNECTOR_TYPES.some(({ type }) => type === connector.type)
        : tested !== undefined && baseUrl !== undefined && actions.length > 0);
    const names = new Set(actions.map((one) => one.id));
    return [...errors, ...(isWhole && names.size === actions.length ? [] : [{ id, isWhole }])];
  });
  expect(wrong).toEqual([]);
  expect(ids.length).toBeGreaterThanOrEqual(60);
});

test("each authentication kind sets everything except what the user enters", () => {
  const known: Partial<AuthFields> = {
    username: "u",
    password: "p",
    token: "t",
    value: "v",
    clientId: "c",
    clientSecret: "s",
    privateKey: "k",
    accessKeyId: "a",
    secretAccessKey: "s",
  };
  const wrong = all.flatMap(({ id, auth }) =>
    auth.flatMap(({ kind, fill = {} }) =>
      authErrors({ kind, ...known, ...fill } as AuthFields, [kind])
        .filter(({ message }) => message === "is required")
        .map((error) => ({ id, kind, ...error })),
    ),
  );
  expect(wrong).toEqual([]);
});

test("each action sends all inputs to their declared places, and nothing else", async () => {
  const wrong: unknown[] = [];
  for (const { id, actions } of all) {
    for (const action of actions.values()) {
      const input = exampleInput(action.input);
      const request = await buildRequest(NO_FILES, action, { config: { baseUrl: BASE }, input });
      const { method, url, headers } = request;
      const body = typeof request.body === "string" ? request.body : undefined;
      const path = new RegExp(`^/base${templatePattern(action.path)}$`);
      const misplaced = action.parameters.filter(({ field, name, in: place }) => {
        if (place === "path")
          return !action.path.includes(`{${name}}`) && !action.path.includes(`{+${name}}`);
        if (place === "query") return !url.searchParams.has(name);
        if (place === "header") return headers[name.toLowerCase()] === undefined;
        if (action.compose !== undefined) return body === undefined;
        if (action.bodyType !== "application/json" || name === "$") return !body;
        return (
          JSON.stringify(valueAt(JSON.parse(body ?? "{}"), name)) !== JSON.stringify(input[field])
        );
      });
      const isLeft = /[{}]/.test(decodeURIComponent(url.pathname));
      const fits = method === action.method && path.test(url.pathname);
      if (misplaced.length > 0 || isLeft || !fits) {
        wrong.push({ id, action: action.name, path: url.pathname, misplaced });
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(all.reduce((sum, { actions }) => sum + actions.size, 0)).toBeGreaterThan(400);
});

const NO_FILES = { files: { open: () => undefined } } as never;

/** A pattern of a path template with any value for each parameter. */
function templatePattern(path: string): string {
  return path
    .split(/(\{\+?[^{}]+\})/)
    .map((part) =>
      part.startsWith("{")
        ? "[^?#]+"
        : encodeURI(part).replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`),
    )
    .join("");
}

test("each trigger names actions of its preset with existing inputs", () => {
  const wrong = all.flatMap(({ id, actions, triggers = [] }) =>
    triggers.flatMap(({ id: trigger, input = {}, poll, hook }) => {
      const calls = [poll, poll?.each, hook?.subscribe, hook?.unsubscribe].filter((one) => !!one);
      const strange = calls.flatMap((call): object[] => {
        const { properties } = Object(actions.get(call.action)?.input) as { properties?: object };
        if (!properties) return [{ id, trigger, action: call.action }];
        const own = call === poll ? Object.keys(input).filter((name) => !usedIn(name, poll)) : [];
        const names = [...Object.keys(call.input ?? {}), ...own];
        return names
          .filter((name) => !Object.hasOwn(properties, name))
          .map((name) => ({ id, trigger, name }));
      });
      const unsigned = hook && !SIGNATURE_PRESETS.has(hook.signature);
      return [...strange, ...(unsigned || (!poll && !hook) ? [{ id, trigger, unsigned }] : [])];
    }),
  );
  expect(wrong).toEqual([]);
});

/** Returns whether a call contains the name in braces. */
function usedIn(name: string, call: unknown): boolean {
  return JSON.stringify(call).includes(`{${name}}`);
}

test("a catalogue connector authenticates, invokes actions, reads pages, and reports errors", async () => {
  upstream.answer = ({ path }, response) => {
    if (path.includes("conversations.list")) {
      const last = path.includes("cursor=c2");
      json(response, {
        ok: true,
        channels: [{ id: last ? "C2" : "C1" }],
        response_metadata: { next_cursor: last ? "" : "c2" },
      });
    } else if (path.includes("chat.postMessage"))
      json(response, { ok: false, error: "no_channel" });
    else json(response, { ok: true, result: { message_id: 5 } });
  };
  const slack = await createConnector(
    owner,
    "preset",
    { preset: "slack", baseUrl: `${upstream.url}/api` },
    { kind: "bearer", token: "xoxb-secret-1" },
  );
  expect(await slack.test()).toMatchObject({ ok: true, status: "up" });
  const { body } = await slack.invoke("list_channels", { pagesMax: 5 });
  expect(body.data.items).toEqual([{ id: "C1" }, { id: "C2" }]);
  const refused = await slack.invoke("post_message", { channel: "x", text: "hi" });
  expect(refused.body).toMatchObject({
    code: "upstream_failed",
    detail: "The other system rejected the request: no_channel",
  });
  const telegram = await createConnector(
    owner,
    "preset",
    { preset: "telegram", baseUrl: upstream.url },
    { kind: "api_key", value: "12:secret-token" },
  );
  expect((await telegram.invoke("send_message", { chat_id: "1", text: "hi" })).status).toBe(200);
  expect(upstream.received.at(-1)).toMatchObject({
    method: "POST",
    path: "/bot12:secret-token/sendMessage",
    text: '{"chat_id":"1","text":"hi"}',
  });
  const wrong = await telegram.invoke("send_message", { text: "hi" });
  expect([wrong.status, wrong.body.errors[0].path]).toEqual([422, "/input/chat_id"]);
  const shown = await owner(`GET ${CONNECTORS}/${telegram.id}`);
  expect(shown.body.data.auth).toEqual({ kind: "api_key", name: "bot", in: "path", value: "***" });
});

test("a preset rejects parameters that change the host, and unsupported authentication kinds", async () => {
  const create = (config: object, auth: object) =>
    owner(`POST ${CONNECTORS}`, { name: "x", type: "preset", config, auth });
  const bearer = { kind: "bearer", token: "t" };
  const basic = { kind: "basic", username: "u", password: "p" };
  for (const [config, auth, path] of [
    [{ preset: "none" }, bearer, "/config/preset"],
    [{ preset: "zendesk" }, basic, "/config/parameters/subdomain"],
    [
      { preset: "zendesk", parameters: { subdomain: "evil.com/" } },
      basic,
      "/config/parameters/subdomain",
    ],
    [{ preset: "slack", parameters: { more: "x" } }, bearer, "/config/parameters/more"],
    [{ preset: "zendesk", parameters: { subdomain: "acme" } }, bearer, "/auth/kind"],
  ] as const) {
    const { status, body, events } = await create(config, auth);
    expect([status, body.errors?.[0]?.path, events]).toEqual([422, path, []]);
  }
  const { body } = await create(
    { preset: "zendesk", parameters: { subdomain: "acme" } },
    {
      kind: "oauth2_authorization_code",
      clientId: "c",
      clientSecret: "s",
    },
  );
  expect(body.data.auth).toMatchObject({
    authorizeUrl: "https://acme.zendesk.com/oauth/authorizations/new",
    scope: "read write",
  });
});
