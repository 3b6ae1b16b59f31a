/** What the console offers, compared with what the server has: actions of tickets, and permissions. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { actsFor } from "../../console/src/desk/ticket/act-table.ts";
import { listActs } from "../../console/src/changes/change/acts.ts";
import type { Operation } from "#kernel/contract.ts";
import { domains } from "./app.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const viewer = await world.member(["viewer"]);
const operations: ReadonlyMap<string, Operation> = new Map(
  domains.flatMap((domain) => domain.operations).map((op) => [op.id, op] as const),
);

interface Machine {
  readonly kind: "incident" | "problem" | "change" | "request";
  readonly states: readonly string[];
  readonly transitions: readonly {
    readonly action: string;
    readonly from: readonly string[];
    readonly automatic?: boolean;
  }[];
}
const machines: readonly Machine[] = (await viewer("GET /api/v1/itsm/state-machines")).body.data;

test.each(machines.map((machine) => [machine.kind, machine] as const))(
  "the desk offers the transitions of a %s in the states in which the server accepts them",
  (kind, { states, transitions }) => {
    for (const state of states) {
      const accepted = transitions
        .filter(({ from, automatic = false }) => from.includes(state) && !automatic)
        .map(({ action }) => `${kind}s.${action}`)
        .filter((id) => operations.has(id));
      const known = new Set(transitions.map(({ action }) => `${kind}s.${action}`));
      const offered = actsFor({ kind, state, isMajor: false })
        .map(({ op }) => op)
        .filter((id) => known.has(id));
      expect([state, offered.toSorted()]).toEqual([state, [...new Set(accepted)].toSorted()]);
    }
  },
);

test("the page of a change offers the transitions that the desk offers", () => {
  const change = machines.find(({ kind }) => kind === "change");
  const isDecision = (action: string): boolean => action === "approve" || action === "reject";
  const actions = change?.transitions.flatMap(({ action, automatic = false }) =>
    automatic || isDecision(action) ? [] : [action],
  );
  expect(actions).toContain("rollback");
  for (const state of change?.states ?? []) {
    const accepted = change?.transitions
      .filter(({ action, from }) => from.includes(state) && actions?.includes(action) === true)
      .map(({ action }) => action);
    const offered = listActs({ state: state as never, assigneeId: null }, undefined)
      .map(({ name }): string => name)
      .filter((name) => actions?.includes(name) === true);
    expect([state, offered.toSorted()]).toEqual([state, accepted?.toSorted()]);
  }
});

test("every action of the desk asks for the permission of its operation", () => {
  for (const { kind, states } of machines) {
    for (const state of states) {
      for (const { op, permission } of actsFor({ kind, state, isMajor: false })) {
        const needed = operations.get(op)?.permission?.name ?? "";
        // What people may do with their own tickets is offered at the desk to those who work on all of them.
        const expected = needed.endsWith(":own") ? needed.replace(/own$/, "write") : needed;
        expect([op, permission]).toEqual([op, expected]);
      }
    }
  }
});

const root = join(import.meta.dirname, "../../console/src");

test("every permission that the console asks for exists", () => {
  const known = new Set(domains.flatMap(({ permissions }) => permissions.map(({ name }) => name)));
  const asked = globSync("**/*.{ts,tsx}", { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const found = [
      ...text.matchAll(/\b(?:may|useMay\(\))\(\s*"([^"]+)"/g),
      ...text.matchAll(/\bpermission(?::|=)\s*"([^"]+)"/g),
    ];
    return found.map(([, name = ""]) => ({ path, name }));
  });
  expect(asked.length).toBeGreaterThan(100);
  expect(asked.filter(({ name }) => !known.has(name))).toEqual([]);
});
