import { expect, test } from "vitest";
import { until } from "#kernel/testing/world.ts";
import { asker, kill, launch, logIn, useProducts } from "./testing/product.ts";
import { useServerDatabase } from "./testing/server-database.ts";

const HERE = { "x-workspace": "default" };
/** For a busy machine. */
const WORK_LIMIT_MS = 50_000;

const database = useServerDatabase();
useProducts();

const ask = (id: string) => ({
  id,
  type: "wait_for_form",
  config: {
    title: `The form ${id}`,
    shownTo: "sender",
    pages: [{ fields: [{ name: "size", required: true }] }],
  },
});
const say = {
  id: "say",
  type: "respond",
  config: { body: "{{ steps.one.output.answers.size }}, {{ steps.two.output.answers.size }}" },
};

/** Submits a form like a browser without following the redirect. */
const send = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });

test("a form submitted before a kill -9 counts once, and its sender continues afterwards", async () => {
  // Without a worker, the run does not continue after the submission.
  const api = launch({ ...database.env, MILLRACE_ROLE: "api" });
  const first = await api.ready;
  const token = await logIn(first);
  const owner = asker(first, token);
  const trigger = { type: "form", title: "Order", pages: [{ fields: [{ name: "who" }] }] };
  const definition = { name: "Sizes", trigger, nodes: [ask("one"), ask("two"), say], edges: [] };
  const edges = [
    { from: "one", to: "two" },
    { from: "two", to: "say" },
  ];
  const made = await owner("POST /api/v1/workflows", { ...definition, edges }, HERE);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = made.body.data;
  await owner(`POST /api/v1/workflows/${id}/publish`, undefined, HERE);
  const { url } = (await owner(`GET /api/v1/workflows/${id}`, undefined, HERE)).body.data.trigger;
  const begun = await send(`${first}${new URL(url).pathname}`, { who: "Ann" });
  const form = begun.headers.get("location") ?? "";
  expect([begun.status, form]).toEqual([303, expect.stringContaining("/resume/run_")]);
  const [, runId = ""] = /(run_\w+)/.exec(form) ?? [];

  const broken = expect(send(`${first}${form}`, { size: "L" })).rejects.toThrow();
  const called = () =>
    database.rows("select from events where type = 'workflow.run_called' and resource_id = $1", [
      runId,
    ]);
  await until(async () => (await called()).length === 1, WORK_LIMIT_MS);
  await kill(api, "group");
  await broken;

  const second = await launch({ ...database.env }).ready;
  const location = await until(async () => {
    const page = await fetch(`${second}${form}`, { redirect: "manual" });
    return page.headers.get("location") ?? false;
  }, WORK_LIMIT_MS);
  expect(location).not.toBe(form);
  expect(await (await fetch(`${second}${location}`)).text()).toContain("The form two");
  const again = await send(`${second}${form}`, { size: "S" });
  expect([again.status, again.headers.get("location")]).toEqual([303, location]);
  const last = await send(`${second}${location}`, { size: "M" });
  expect([last.status, await last.text()]).toEqual([200, expect.stringContaining("L, M")]);
  // Also for a client that has not received the response.
  const reloaded = await fetch(`${second}${location}`);
  expect([reloaded.status, await reloaded.text()]).toEqual([200, expect.stringContaining("L, M")]);
  expect(await called()).toHaveLength(2);
});
