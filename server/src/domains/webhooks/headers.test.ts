import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { isSecretHeader } from "./header.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
await owner("POST /api/v1/secrets", { name: "PAGER", value: "vault-value" });

const HOOKS = "/api/v1/webhooks";
const draft = (headers: object) => ({
  name: "With headers",
  url: "https://pager.example.com/hook",
  events: ["incident.*"],
  headers,
});
const kept = async (id: string) =>
  (await world.sql("select headers from webhooks where id = $1", [id]))[0].headers;

test.each([
  ["Authorization", "Bearer abcdef", true],
  ["Authorization", "Bearer {{secrets.PAGER}}", false],
  ["Authorization", "{{ secrets.PAGER }}", false],
  ["Authorization", "Basic {{secrets.A}}{{secrets.B}}", false],
  ["Authorization", "Bearer abcdef {{secrets.PAGER}}", true],
  ["Authorization", "abcdef{{secrets.PAGER}}", true],
  ["Authorization", "{{secrets.PAGER}}abcdef", true],
  ["Authorization", "{{ PAGER }}", true],
  ["Proxy-Auth", "x", true],
  ["Cookie", "session=1", true],
  ["X-CSRF-Token", "x", true],
  ["x-api-key", "x", true],
  ["X-Client-Secret", "x", true],
  ["X-Password", "x", true],
  ["X-Team", "ops", false],
  ["X-Trace", "{{secrets.PAGER}}", false],
])("%s: %s is hidden: %s", (name, value, hidden) => {
  expect(isSecretHeader(name, value)).toBe(hidden);
});

test("possible credentials are shown as a mask, and a mask keeps the value", async () => {
  const headers = {
    "X-Api-Key": "literal-value",
    Authorization: "Bearer {{secrets.PAGER}}",
    "X-Team": "ops",
  };
  const shown = { ...headers, "X-Api-Key": "***" };
  const { status, body } = await owner(`POST ${HOOKS}`, draft(headers));
  expect(status).toBe(201);
  const { id } = body.data;
  expect(body.data.headers).toEqual(shown);
  expect(await kept(id)).toEqual(headers);
  const saved = await owner(`PATCH ${HOOKS}/${id}`, { headers: { ...shown, "X-Team": "dev" } });
  expect(saved.body.data.headers).toEqual({ ...shown, "X-Team": "dev" });
  expect(await kept(id)).toEqual({ ...headers, "X-Team": "dev" });
  const again = await owner(`PATCH ${HOOKS}/${id}`, { headers: { "X-Api-Key": "other-value" } });
  expect(again.events).toEqual(["webhook.updated"]);
  expect(await kept(id)).toEqual({ "X-Api-Key": "other-value" });
});

test("changing the URL removes credentials, even if masked headers are sent", async () => {
  const headers = { "X-Api-Key": "literal-value", Authorization: "Bearer {{secrets.PAGER}}" };
  const { body } = await owner(`POST ${HOOKS}`, draft(headers));
  const path = `${HOOKS}/${body.data.id}`;
  const url = "https://theirs.example.net/hook";
  const errors = [
    {
      path: "/headers/X-Api-Key",
      message: "must be sent again, because /url changes the recipient",
    },
  ];
  for (const more of [{}, { headers: { ...headers, "X-Api-Key": "***" } }]) {
    const refused = await owner(`PATCH ${path}`, { url, ...more });
    expect([refused.status, refused.events, refused.body.errors]).toEqual([422, [], errors]);
  }
  expect((await owner(`PATCH ${path}`, { url, headers })).status).toBe(200);
  const references = { Authorization: headers.Authorization };
  expect((await owner(`PATCH ${path}`, { headers: references })).status).toBe(200);
  expect((await owner(`PATCH ${path}`, { url: `${url}/2` })).status).toBe(200);
});

test("a change hidden by a mask is still reported", async () => {
  const { body } = await owner(`POST ${HOOKS}`, draft({ "X-Api-Key": "literal-value" }));
  const { id } = body.data;
  const changesAfter = async (headers: object) => {
    await owner(`PATCH ${HOOKS}/${id}`, { headers });
    const audit = await owner(`GET /api/v1/audit?resourceId=${id}&limit=1`);
    return audit.body.data[0].data.changes;
  };
  expect(await changesAfter({ "X-Api-Key": "other-value" })).toEqual(["headers"]);
  expect(await changesAfter({ "X-Api-Key": "***" })).toEqual([]);
  expect(await changesAfter({ "X-Longer-Name": "a", "X-B": "b" })).toEqual(["headers"]);
  expect(await changesAfter({ "X-Longer-Name": "a", "X-B": "b" })).toEqual([]);
  expect(await changesAfter({ "X-B": "b" })).toEqual(["headers"]);
});

test.each([
  [{ "X-Api-Key": "***" }, "has no stored value"],
  [{ "X-Team": "{{secrets.NOBODY}}" }, "contains unknown secrets: NOBODY"],
  [{ "Content-Type": "text/plain" }, "is set by Millrace"],
  [{ "x-service-signature-256": "sha256=1" }, "is set by Millrace"],
  [{ "X-Service-Signature-256-Previous": "sha256=1" }, "is set by Millrace"],
  [{ "X-Service-Delivery": "x" }, "is set by Millrace"],
  [{ "X-Service-Event": "x" }, "is set by Millrace"],
  [{ "Webhook-Id": "x" }, "is set by Millrace"],
  [{ "webhook-timestamp": "x" }, "is set by Millrace"],
  [{ "webhook-signature": "x" }, "is set by Millrace"],
  [{ Host: "inner.test" }, "The header Host can't be set."],
  [{ "Content-Length": "3" }, "The header Content-Length can't be set."],
  [{ "Transfer-Encoding": "chunked" }, "The header Transfer-Encoding can't be set."],
  [{ "a b": "x" }, "The name of a header is not valid."],
  [{ "X\r\nInjected": "x" }, "The name of a header is not valid."],
  [{ "a/b~c": "x" }, "The name of a header is not valid."],
  [{ "X-Value": "x\r\nInjected: 1" }, "The value of the header X-Value is not valid."],
  [{ "X-Value": "→" }, "The value of the header X-Value is not valid."],
])("%j is refused: %s", async (headers, message) => {
  const name = Object.keys(headers)[0]?.replaceAll("~", "~0").replaceAll("/", "~1");
  const { body } = await owner(`POST ${HOOKS}`, draft({}));
  for (const answer of [
    await owner(`POST ${HOOKS}`, draft(headers)),
    await owner(`PATCH ${HOOKS}/${body.data.id}`, { headers }),
  ]) {
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    expect(answer.body.errors).toEqual([{ path: `/headers/${name}`, message }]);
  }
});

test("rejects duplicate names in different case, too many headers and a long value", async () => {
  const twice = await owner(`POST ${HOOKS}`, draft({ "X-Team": "a", "x-team": "b" }));
  expect(twice.body.errors).toEqual([{ path: "/headers/x-team", message: "appears twice" }]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, "v"]));
  expect((await owner(`POST ${HOOKS}`, draft(many))).body.errors[0].path).toBe("/headers");
  const long = await owner(`POST ${HOOKS}`, draft({ "X-Long": "v".repeat(4_097) }));
  expect(long.body.errors[0].path).toBe("/headers/X-Long");
});

test("a header name does not match inherited object properties", async () => {
  const odd = await owner(`POST ${HOOKS}`, draft({ constructor: "ops", toString: "dev" }));
  expect(odd.body.data.headers).toEqual({ constructor: "ops", toString: "dev" });
  const masked = await owner(`POST ${HOOKS}`, draft({ constructor: "***" }));
  expect(masked.body.errors).toEqual([
    { path: "/headers/constructor", message: "has no stored value" },
  ]);
});
