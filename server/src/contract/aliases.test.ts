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
/** Second spellings; paths of pages and of addresses that strangers call say more by a longer path. */
const spellings = pairs.filter(({ op, alias }) => isOfApi(op.route) && isOfApi(alias));
const world = await useWorld();

test("every second path leads to its operation, with the parameters that it names", () => {
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

test("a request to a second path has the answer of the first one, for a stranger and for an owner", async () => {
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

/** A route with examples in place of its parameters. */
function fillIn({ example }: Operation, route: Route): string {
  const params = (example?.params ?? {}) as Readonly<Record<string, string>>;
  return route
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "production")
    .replace(/\*$/, "a/b");
}

test("the client has an operation once, so that nothing that is typed by it can name a second path", () => {
  const described = new Map<string, string>(listRoutes());
  for (const { id, route } of operations) {
    expect(described.get(id)).toBe(route.replace(/\*$/, "{rest}"));
  }
  // And the two addresses of the description.
  expect(described.size).toBe(operations.length + 2);
});

test("neither the command line nor the console writes a second path of its own", () => {
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

/** True for the beginning of second paths alone. */
function isDistinct(prefix: string): boolean {
  return !operations.some(({ route }) => route.split(" ")[1]?.startsWith(prefix));
}
