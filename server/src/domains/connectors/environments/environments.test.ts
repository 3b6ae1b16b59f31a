/** Tests that each environment uses its own credentials: staging does not call production. */
import { expect, test } from "vitest";
import { CONNECTORS, useHttpConnectors } from "../testing/connector.ts";

const { upstream, world, owner, create } = await useHttpConnectors();
const invoke = (id: string, environment: string) =>
  owner(
    `POST ${CONNECTORS}/${id}/invoke`,
    { action: "request", input: {} },
    { "x-environment": environment },
  );
const used = () => upstream.received.map(({ path, headers }) => [path, headers.authorization]);

test("uses environment-specific credentials and falls back to production unless forbidden", async () => {
  const id = await create({}, { kind: "bearer", token: "production-token" });
  const there = `${CONNECTORS}/${id}/environments/staging`;
  expect((await invoke(id, "staging")).status).toBe(200);
  const set = await owner(`PUT ${there}`, {
    auth: { kind: "bearer", token: "staging-token" },
    baseUrl: `${upstream.url}/staging`,
  });
  expect([set.status, set.events, set.body.data.auth]).toEqual([
    200,
    ["connector.environment_set"],
    { kind: "bearer", token: "***" },
  ]);
  for (const environment of ["staging", "development", "production"]) await invoke(id, environment);
  expect(used()).toEqual([
    ["/api", "Bearer production-token"],
    ["/staging", "Bearer staging-token"],
    ["/api", "Bearer production-token"],
    ["/api", "Bearer production-token"],
  ]);
  // A mask keeps the value stored for the same address.
  const kept = await owner(`PUT ${there}`, {
    auth: { kind: "bearer", token: "***" },
    baseUrl: `${upstream.url}/staging`,
  });
  expect(kept.status).toBe(200);
  await invoke(id, "staging");
  expect(used().at(-1)).toEqual(["/staging", "Bearer staging-token"]);
  const foreign = await owner(`PUT ${CONNECTORS}/${id}/environments/development`, {
    auth: { kind: "bearer", token: "***" },
  });
  expect([foreign.status, foreign.events]).toEqual([422, []]);
  const config = { baseUrl: `${upstream.url}/api`, retries: 0, ownCredentialsOnly: true };
  await owner(`PATCH ${CONNECTORS}/${id}`, { config });
  const before = upstream.received.length;
  const refused = await invoke(id, "development");
  expect([refused.status, refused.body.code]).toEqual([409, "no_credentials_here"]);
  expect(upstream.received.length).toBe(before);
  expect((await owner(`DELETE ${there}`)).events).toEqual(["connector.environment_removed"]);
  expect((await invoke(id, "staging")).body.code).toBe("no_credentials_here");
  const trail = JSON.stringify(await world.sql("select data from events"));
  expect([trail.includes("staging-token"), trail.includes("production-token")]).toEqual([
    false,
    false,
  ]);
});

test("production headers with credentials are not sent to staging, and a staging failure does not affect the production status", async () => {
  const headers = { "x-api-key": "production-key", "x-tenant": "acme" };
  const id = await create({ headers, ownCredentialsOnly: true });
  const set = await owner(`PUT ${CONNECTORS}/${id}/environments/staging`, {
    auth: { kind: "bearer", token: "staging-token" },
    baseUrl: `${upstream.url}/staging`,
  });
  expect(set.status).toBe(200);
  let status = 200;
  upstream.answer = ({ path }, response) =>
    path === "/staging"
      ? response.writeHead(status, { "retry-after": "86400" }).end()
      : response.end("fine");
  expect((await invoke(id, "staging")).status).toBe(200);
  const [{ headers: sent }] = upstream.received as any;
  expect([sent["x-api-key"], sent["x-tenant"]]).toEqual([undefined, "acme"]);
  for (status of [429, 500, 500, 500, 500, 500, 500, 500]) await invoke(id, "staging");
  expect((await invoke(id, "production")).status).toBe(200);
  expect(upstream.received.at(-1)?.headers["x-api-key"]).toBe("production-key");
  const staging = { "x-environment": "staging" };
  const tested = await owner(`POST ${CONNECTORS}/${id}/test`, undefined, staging);
  expect([tested.events, tested.body.data]).toEqual([
    ["connector.tested"],
    expect.objectContaining({ ok: false, status: "up" }),
  ]);
});

test("a rate limit no longer applies after the connector changes its address", async () => {
  const id = await create();
  upstream.answer = (_received, response) =>
    response.writeHead(429, { "retry-after": "999999999" }).end();
  await invoke(id, "production");
  expect((await invoke(id, "production")).body.code).toBe("connector_rate_limited");
  expect(upstream.received).toHaveLength(1);
  await owner(`PATCH ${CONNECTORS}/${id}`, { config: { baseUrl: `${upstream.url}/other` } });
  await invoke(id, "production");
  expect(upstream.received.at(-1)?.path).toBe("/other");
});
