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

/** What is not a form or command of the mechanism, with the reason. The lists may only shrink. */
const OWN_FORMS: Readonly<Record<string, string>> = {
  "approvals/detail.tsx": "one comment, sent with one of two decisions",
  "shell/form/form-panel.tsx": "the frame of forms on a page",
  "shell/sign-in/card.tsx": "without a session",
};

const OWN_ERRORS: Readonly<Record<string, string>> = {
  "account/proof-dialog.tsx": "the refusal contains the challenge",
  "apps/builder/use-app.ts": "saves while the user edits, and merges conflicts",
  "connectors/page/consent-return.tsx": "the page is the result",
  "events/log/use-event-log.ts": "a read",
  "people/invite-dialog.tsx": "one result for each of many addresses",
  "shell/sign-in/credentials.tsx": "the refusal names the next step",
  "shell/sign-in/sign-in.tsx": "a read",
  "sql/use-sql-run.ts": "can be cancelled, and shows errors in the statement",
  "tables/book/send-change.ts": "the grid shows refused cells, and keeps them",
  "workflows/inspector/step/trial.ts": "the error is the result of the test",
  "workflows/list/n8n/drafts.ts": "one result for each of many files",
  "workflows/list/n8n/folder.tsx": "one result for each of many files",
};

/** The portal works without the console's code. */
const screens = sources.filter(({ path }) => !/^(ui|data|portal|gallery)\//.test(path));
const pathsWith = (pattern: RegExp): readonly string[] =>
  screens.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

test("all forms use useForm and a frame from ui/form", () => {
  expect(pathsWith(/<form\b/).toSorted()).toEqual(Object.keys(OWN_FORMS));
  // These dialogs pick or confirm something. A dialog with fields that are sent is a FormDialog.
  expect(pathsWith(/<Dialog\b(?:=>|[^>])*\bonSubmit=/).toSorted()).toEqual([
    "apps/builder/choice-dialog.tsx",
    "apps/builder/conflict-dialog.tsx",
    "knowledge/editor/link-dialog.tsx",
    "tables/paste/paste-dialog.tsx",
  ]);
});

test("commands have their busy state and errors from useCommand, useWork or perform", () => {
  expect(
    pathsWith(/\[\w+, set(?:Is)?(?:Busy|Saving|Sending|Pending|Working)\] = useState/),
  ).toEqual([]);
  const caught = screens.filter(
    ({ text }) =>
      /catch \(\w+\)/.test(text) && /\bawait (?:call|\w+\.fetchQuery|send)\b|\bcall\(/.test(text),
  );
  expect(caught.map(({ path }) => path).toSorted()).toEqual(Object.keys(OWN_ERRORS));
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
