import { expect, test } from "vitest";
import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { callSample, readSamples } from "#kernel/testing/sweep.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { domains } from "../app.ts";

const world = await useWorld({
  env: {
    MILLRACE_LOGIN_RATE_LIMIT: "0",
    MILLRACE_SMTP_URL: "smtp://127.0.0.1:9",
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
  },
});
const owner = await world.member(["owner"]);
const exportCode = async (): Promise<Readonly<Record<string, readonly object[]>>> =>
  (await owner("GET /api/v1/code/export")).body.data.items;

test("applying the exported code of a workspace with all resources to the same workspace changes nothing", async () => {
  const kinds = contributionsTo(
    PackContentPoint,
    domains.flatMap(({ contributions = [] }) => contributions),
  ).flatMap(({ kind, source }) => (source ? [kind] : []));
  const samples = await readSamples();
  const made = domains
    .flatMap(({ operations }) => operations)
    .filter(({ id }) => /\.(create|update|define)/.test(id));
  for (const op of made) {
    for (const sample of samples.get(op.id) ?? []) {
      await callSample(owner, op, await sample.arrange(owner, world));
    }
  }
  const items = await exportCode();
  expect(kinds.filter((kind) => (items[kind] ?? []).length === 0)).toEqual([]);
  const plan = await owner("POST /api/v1/code/apply?dryRun=true", { project: "all", items });
  expect(plan.body.errors).toBe(undefined);
  expect(plan.body.data.answer.body.data.changes).toEqual([]);
  expect(plan.status).toBe(200);
});
