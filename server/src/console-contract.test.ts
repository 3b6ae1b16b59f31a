/** The console must not copy server declarations: permissions and invalidation come from the generated contract. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as enums from "../../client/src/enums.ts";
import { domains } from "./app.ts";

const root = join(import.meta.dirname, "../../console/src");
const sources = globSync("**/*.{ts,tsx}", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("screens name operations instead of permissions", () => {
  const names = domains.flatMap(({ permissions }) => permissions.map(({ name }) => name));
  const known = new Set(names.filter((name) => name.includes(":")));
  const copied = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/"([a-z_]+:[a-z_]+)"/g)]
      .filter(([, name = ""]) => known.has(name))
      .map(([literal]) => `${path}: ${literal}`),
  );
  // No operation requires it: it allows creating a workspace, otherwise limited to operators.
  expect(copied).toEqual(['shell/bar/workspace-choices.tsx: "workspaces:create"']);
});

test("invalidation after a write follows from its operation", () => {
  const own = sources.filter(
    ({ path, text }) => !path.startsWith("data/") && /\binvalidate\(/.test(text),
  );
  // A trace that grows with the log, a list that is patched in place, and an editor of several operations.
  expect(own.map(({ path }) => path).toSorted()).toEqual([
    "causes/causes.tsx",
    "desk/ticket-cache.ts",
  ]);
});

test("native controls are only used in ui/ and code/, which define their style", () => {
  const raw = sources.filter(
    ({ path, text }) =>
      !/^(ui|code)\//.test(path) && /<(button|input|select|textarea)\b/.test(text),
  );
  expect(raw.map(({ path }) => path)).toEqual([]);
});

/** Orders that rank enumeration values, which the server does not define. */
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

test("screens take enumeration values from the client", () => {
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
