import { expect, test } from "vitest";
import { describeApi } from "#kernel/operation/description/describe-api.ts";
import { sweptOperations } from "#kernel/testing/sweep.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { narrowDescription } from "./reference-entry.ts";

const world = await useWorld();
const linksIn = (html: string): string[] =>
  [...html.matchAll(/href="\/docs\/operations\/([^"]+)"/g)].map(([, id = ""]) => id);

test("the reference lists each operation once, searches by words, and has a page for each without scripts", async () => {
  const { body, headers } = await world.stranger("GET /docs");
  expect(linksIn(body).toSorted()).toEqual(sweptOperations.map(({ id }) => id).toSorted());
  expect(body).not.toContain("<script");
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
  const found = linksIn((await world.stranger("GET /docs?q=publish+workflow")).body);
  expect(found).toContain("workflows.publish");
  expect(new Set(found).size).toBe(found.length);
  expect((await world.stranger('GET /docs?q="><b>')).body).not.toContain("<b>");
  for (const { id, summary } of sweptOperations) {
    const page = await world.stranger(`GET /docs/operations/${id}`);
    expect(page.status, id).toBe(200);
    expect(page.body, id).not.toMatch(/undefined|\[object Object\]/);
    expect(page.body).toContain(summary.split(/[&<>"'`]/)[0]);
  }
  expect(await world.stranger("GET /docs/operations/no.such")).toMatchObject({ status: 404 });
});

test("the console of an area gets a complete description of that area only", async () => {
  const whole = describeApi(domains) as any;
  for (const { name } of whole.tags) {
    const part = narrowDescription(whole, name) as any;
    const text = JSON.stringify(part);
    for (const [, kind = "", component = ""] of text.matchAll(/#\/components\/(\w+)\/([^"]+)/g))
      expect(part.components[kind], component).toHaveProperty([component]);
    expect(text).not.toContain("x-alias-of");
  }
  const { status, body } = await world.stranger("GET /docs/try/tables/openapi.json");
  expect(status).toBe(200);
  expect(Object.keys(body.paths)).toContain("/api/v1/tables");
  expect(Object.keys(body.paths)).not.toContain("/api/v1/workflows");
  expect(await world.stranger("GET /docs/try/nothing")).toMatchObject({ status: 404 });
});
