import { join } from "node:path";
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Operation, Route } from "#kernel/contract.ts";
import { PathTable } from "#kernel/http/routing/path-table.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { listRoutes } from "../../../client/src/contract.ts";
import { domains } from "../app.ts";

const operations = domains.flatMap((domain) => domain.operations);
const pairs = operations.flatMap((op) => (op.aliases ?? []).map((alias) => ({ op, alias })));
/** Second spellings. Pages and anonymous addresses have meaningful longer paths. */
const spellings = pairs.filter(({ op, alias }) => isOfApi(op.route) && isOfApi(alias));
const world = await useWorld();

test("every alias leads to its operation with the named parameters", () => {
  expect(pairs.length).toBeGreaterThan(100);
  expect(spellings.length).toBeGreaterThan(80);
  const paths = new PathTable();
  for (const op of operations) paths.addOperation(op);
  for (const { op, alias } of pairs) {
    const [method = "", path = ""] = fillIn(op, alias).split(" ");
    const found = paths.findOperation(method, path);
    expect([alias, found?.operation.id]).toEqual([alias, op.id]);
    const named = [...alias.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const rest = alias.endsWith("*") ? ["*"] : [];
    expect(Object.keys(found?.params ?? {})).toEqual([...named, ...rest]);
  }
});

test("a request to an alias has the response of the original, for anonymous callers and owners", async () => {
  const owner = await world.member(["owner"]);
  for (const ask of [world.stranger, owner]) {
    for (const { op, alias } of spellings) {
      expect([alias, await answerOf(ask, fillIn(op, alias))]).toEqual([
        alias,
        await answerOf(ask, fillIn(op, op.route)),
      ]);
    }
  }
});

function isOfApi(route: Route): boolean {
  return / \/api\//.test(route);
}

async function answerOf(ask: Ask, route: string) {
  const { status, body } = await ask(route);
  const { code, errors } = (body ?? {}) as { code?: unknown; errors?: unknown };
  return { status, code, errors };
}

/** A route with example values for its parameters. */
function fillIn({ example }: Operation, route: Route): string {
  const params = (example?.params ?? {}) as Readonly<Record<string, string>>;
  return route
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "production")
    .replace(/\*$/, "a/b");
}

test("the client has each operation once, so that typed code cannot use an alias", () => {
  const described = new Map<string, string>(listRoutes());
  for (const { id, route } of operations) {
    expect(described.get(id)).toBe(route.replace(/\*$/, "{rest}"));
  }
  // In addition to the two addresses of the description.
  expect(described.size).toBe(operations.length + 2);
});

test("neither the CLI nor the console uses an alias", () => {
  const root = join(import.meta.dirname, "../../..");
  const second = spellings.map(({ alias }) => alias.split(" ")[1] ?? "");
  const prefixes = new Set(second.map((path) => `${path.split("/{")[0]}`).filter(isDistinct));
  const sources = globSync("{cli,console}/src/**/*.{ts,tsx}", { cwd: root });
  const found = sources.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...prefixes].filter((prefix) => text.includes(prefix)).map((one) => `${path}: ${one}`);
  });
  expect(found).toEqual([]);
});

/** True for a prefix that only aliases have. */
function isDistinct(prefix: string): boolean {
  return !operations.some(({ route }) => route.split(" ")[1]?.startsWith(prefix));
}
