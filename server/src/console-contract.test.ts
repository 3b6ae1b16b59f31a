/** The console copies nothing that the server declares: rights and staleness come from the generated contract. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as enums from "../../client/src/enums.ts";
import { domains } from "./app.ts";

const root = join(import.meta.dirname, "../../console/src");
const sources = globSync("**/*.{ts,tsx}", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("screens name operations, not permissions", () => {
  const names = domains.flatMap(({ permissions }) => permissions.map(({ name }) => name));
  const known = new Set(names.filter((name) => name.includes(":")));
  const copied = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/"([a-z_]+:[a-z_]+)"/g)]
      .filter(([, name = ""]) => known.has(name))
      .map(([literal]) => `${path}: ${literal}`),
  );
  // No operation needs it: it allows to make a workspace, which only operators do elsewhere.
  expect(copied).toEqual(['shell/bar/workspace-switch.tsx: "workspaces:create"']);
});

test("what a write makes stale follows from its operation", () => {
  const own = sources.filter(
    ({ path, text }) => !path.startsWith("data/") && /\binvalidate\(/.test(text),
  );
  // A trace that grows by the log, a list that is patched in place, an editor of several operations.
  expect(own.map(({ path }) => path).toSorted()).toEqual([
    "causes/causes.tsx",
    "desk-settings/frame/use-editor.ts",
    "desk/ticket-cache.ts",
  ]);
});

test("controls of the browser are in ui/ and code/ alone, where they have one look", () => {
  const raw = sources.filter(
    ({ path, text }) =>
      !/^(ui|code)\//.test(path) && /<(button|input|select|textarea)\b/.test(text),
  );
  expect(raw.map(({ path }) => path)).toEqual([]);
});

/** Orders that rank the values of an enumeration, or some of them, which is no fact of the server. */
const RANKED = [
  "alerts/alerts.tsx",
  "changes/change/use-change-acts.ts",
  "runs/run/waterfall.ts",
  "tables/designer/column-draft.ts",
  "webhooks/page/recovery-choice.tsx",
  "workflows/graph/graph.ts",
  "workflows/graph/run-view.ts",
  "workflows/list/n8n/export-file.ts",
  "workflows/versions/difference-view.tsx",
  "workflows/versions/rehearsal.tsx",
];

test("screens take the values of an enumeration from the client", () => {
  const known = new Set(Object.values(enums).map((values) => values.toSorted().join(" ")));
  const value = /\["([^"]+)",[^\]]*\]|(?:\{ (?:id|value): )?"([^"]+)"(?:, label: "[^"]*" \})?/g;
  const list =
    /\[\s*((?:(?:\["[^"]+",[^[\]]*\]|"[^"]+"|\{ (?:id|value): "[^"]+"[^{}]*\}),?\s*){2,})\]/g;
  const copied = sources.flatMap(({ path, text }) =>
    [...text.matchAll(list)]
      .map(([, inner = ""]) => [...inner.matchAll(value)].map(([, first, other]) => first ?? other))
      .filter((values) => known.has(values.toSorted().join(" ")))
      .map(() => path),
  );
  expect([...new Set(copied)].toSorted()).toEqual(RANKED);
});
