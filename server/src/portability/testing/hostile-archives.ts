import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import type { NewHead } from "../archive/frame.ts";
import { alterArchive, withEpoch } from "./altered-archive.ts";
import { withValue } from "./archive-worlds.ts";

/** A part of the error message, and a function that creates the archive. */
type HostileArchive = readonly [string, () => Promise<void> | void];

type RowsHead = Extract<NewHead, { kind: "rows" }>;
const isRows = (head: NewHead, table: string): head is RowsHead =>
  head.kind === "rows" && head.table === table;

/** Jobs of the installation, whose kind looks different if every tab is treated as a separator. */
function withHiddenKind(lines: string, head: NewHead): string {
  const at = head.kind === "rows" ? head.columns.indexOf("kind") : -1;
  return lines.replaceAll(/.+/g, (line) => {
    const values = line.split("\t");
    const shown = values.slice(0, at + 1).join("\\\t");
    return [shown, ...values.slice(1, at), "installation.backup", ...values.slice(at + 1)].join(
      "\t",
    );
  });
}

/** A connector action. */
const ACTION = {
  name: "list",
  summary: "List",
  input: { type: "object" },
  method: "GET",
  path: "/list",
  parameters: [],
  bodyType: null,
};

function withFields(action: object, fields: object): string {
  return JSON.stringify({ ...action, ...fields });
}

/** Hostile archives derived from a valid one. */
export function hostileArchives({
  from,
  to,
  stranger,
}: {
  readonly from: string;
  readonly to: string;
  /** An account here that is not part of the archive. */
  readonly stranger: string;
}): readonly HostileArchive[] {
  const rows = (table: string, alter: (lines: string, head: NewHead) => string) =>
    alterArchive(from, to, (head, content) =>
      head.kind === "rows" && head.table === table
        ? { head, content: Buffer.from(alter(content.toString(), head)) }
        : { head, content },
    );
  const heads = (alter: (head: NewHead) => NewHead | undefined) =>
    alterArchive(from, to, (head, content) => {
      const altered = alter(head);
      return altered && { head: altered, content };
    });
  /** Moves the rows of a table after another frame, as if they were inactive. */
  const move = async (table: string, behind: NewHead["kind"]) => {
    const moved: { head: NewHead; content: Buffer }[] = [];
    await alterArchive(from, to, (head, content) => {
      if (isRows(head, table)) moved.push({ head: { ...head, open: false }, content });
      return undefined;
    });
    await alterArchive(from, to, (head, content) => {
      // Without the definitions of their tables, records would fail earlier.
      if (isRows(head, table) || ("environment" in head && head.environment)) return undefined;
      return [{ head, content }, ...(head.kind === behind ? moved : [])];
    });
  };
  const bytes = readFileSync(from);
  return [
    [
      "is not a workspace archive",
      () => writeFileSync(to, "PK\u0003\u0004 something else altogether"),
    ],
    ["is incomplete", () => writeFileSync(to, bytes.subarray(0, bytes.length - 7))],
    ["has data after its end", () => writeFileSync(to, Buffer.concat([bytes, bytes]))],
    [
      "with the schema 0001_kernel.sql",
      () =>
        alterArchive(from, to, (head, content) => {
          if (head.kind !== "manifest") return { head, content };
          const manifest = JSON.parse(content.toString());
          manifest.schema = { last: "0001_kernel.sql", sha256: "0".repeat(64) };
          return { head, content: Buffer.from(JSON.stringify(manifest)) };
        }),
    ],
    ...["operators", "workspace_keys"].map(
      (table) =>
        [
          "not a table of a workspace",
          () =>
            heads((head) =>
              head.kind === "rows" && head.table === "files" ? { ...head, table } : head,
            ),
        ] as const,
    ),
    [
      "different columns in files",
      () =>
        heads((head) =>
          head.kind === "rows" && head.table === "files"
            ? { ...head, columns: [...head.columns.slice(1), "workspace_id"] }
            : head,
        ),
    ],
    ["a wrong number of rows", () => rows("files", (lines) => lines + lines)],
    [
      "has a wrong number of rows",
      () => heads((head) => (head.kind === "rows" && head.table === "files" ? undefined : head)),
    ],
    [
      "has a wrong number of files",
      () => heads((head) => (head.kind === "file" ? undefined : head)),
    ],
    [
      "does not match its row",
      () =>
        alterArchive(from, to, (head, content) => ({
          head,
          content:
            head.kind === "file"
              ? Buffer.from("other bytes!".padEnd(content.length).slice(0, content.length))
              : content,
        })),
    ],
    [
      "invalid header at",
      () =>
        heads((head) => (head.kind === "file" ? { ...head, blob: "../../../etc/passwd" } : head)),
    ],
    [
      "of a person who is missing in the archive",
      () => rows("memberships", (lines) => lines.replaceAll(/usr_\w{26}/g, stranger)),
    ],
    [
      "of an epoch that is missing in the manifest",
      () => rows("events", (lines, head) => withValue(lines, head, "epoch", "1023")),
    ],
    [
      "has a job that does not belong to a workspace",
      () => rows("jobs", (lines, head) => withValue(lines, head, "kind", "installation.backup")),
    ],
    [
      "has a job that does not belong to a workspace",
      () =>
        rows("jobs", (lines, head) => withValue(lines, head, "kind", "\\x69nstallation.backup")),
    ],
    [
      "a file with an invalid id",
      () => rows("blobs", (lines, head) => withValue(lines, head, "id", "../../other/blb_1")),
    ],
    [
      "has a membership with a future start",
      () =>
        rows("memberships", (lines, head) =>
          withValue(lines, head, "created_at", "2999-01-01 00:00:00+00"),
        ),
    ],
    [
      "that could not be saved here: /trigger",
      () =>
        rows("workflows", (lines, head) =>
          withValue(lines, head, "definition", '{"name": "x", "nodes": [], "edges": []}'),
        ),
    ],
    [
      "that could not be saved here: /action/path",
      () =>
        rows("connector_actions", (lines, head) =>
          withValue(lines, head, "action", withFields(ACTION, { path: "//evil.example/x" })),
        ),
    ],
    [
      "that could not be saved here: /action/input",
      () =>
        rows("connector_actions", (lines, head) =>
          withValue(lines, head, "action", withFields(ACTION, { input: { $ref: "#" } })),
        ),
    ],
    [
      "that could not be saved here: /action/compose",
      () =>
        rows("connector_actions", (lines, head) =>
          withValue(lines, head, "action", withFields(ACTION, { compose: "constructor" })),
        ),
    ],
    [
      "that could not be saved here: /attributes/properties/cpu/pattern",
      () =>
        rows("cmdb_classes", (lines, head) =>
          withValue(
            lines,
            head,
            "attributes",
            '{"type": "object", "properties": {"cpu": {"pattern": "(a+)+$"}}}',
          ),
        ),
    ],
    [
      "that could not be saved here: /parameters/0/name",
      () =>
        rows("saved_queries", (lines, head) =>
          withValue(lines, head, "parameters", '[{"name": "__proto__ or 1"}]'),
        ),
    ],
    [
      "that could not be saved here: /parameters/0/default",
      () =>
        rows("saved_queries", (lines, head) =>
          withValue(
            lines,
            head,
            "parameters",
            '[{"name": "n", "type": "integer", "default": "many"}]',
          ),
        ),
    ],
    [
      "is invalid at /rules/0",
      () =>
        rows("user_tables", (lines, head) =>
          withValue(lines, head, "rules", '[{"roles": ["*"], "actions": ["everything"]}]'),
        ),
    ],
    [
      "The table orders is invalid at /id",
      () => rows("user_tables", (lines, head) => withValue(lines, head, "id", "tbl_1' or true --")),
    ],
    [
      "has a client with a document",
      () =>
        rows("oauth_applications", (lines, head) =>
          withValue(lines, head, "document_url", "https://client.test/id"),
        ),
    ],
    // For PostgreSQL the first value continues after the tab, and the kind is different.
    ["in a different format than PostgreSQL", () => rows("jobs", withHiddenKind)],
    [
      "in a different format than PostgreSQL",
      () =>
        alterArchive(from, to, (head, content) =>
          isRows(head, "blobs")
            ? {
                head: { ...head, rows: 0 },
                content: Buffer.from(content.map((b) => (b === 10 ? 13 : b))),
              }
            : { head, content },
        ),
    ],
    [
      "has rows of memberships in the wrong position",
      () => heads((head) => (isRows(head, "memberships") ? { ...head, open: true } : head)),
    ],
    ["has rows of user_tables in the wrong position", () => move("user_tables", "sequences")],
    ["has a row of jobs that would run immediately", () => move("jobs", "people")],
    ["takes at most 64 of the 1023 epochs", () => alterArchive(from, to, withEpoch)],
    ["is already used by another workspace", () => copyFileSync(from, to)],
  ];
}
