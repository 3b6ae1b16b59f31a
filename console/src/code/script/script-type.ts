/**
 * The types of a script's parameters for completion. Members are checked against the artifact's `Context`: adding
 * one only there breaks the type check.
 */
import type { Context, HttpAnswer, ListOptions, TableRecord } from "@millrace/client";

/** A value that scripts can use. */
export interface ScriptType {
  /** The parameters or the type, as source text. */
  readonly about: string;
  readonly help?: string;
  readonly members?: Readonly<Record<string, ScriptType>>;
  /** The result type, with or without `await`. */
  readonly returns?: ScriptType;
  /** The type of its items, for lists. */
  readonly items?: ScriptType;
}

type MembersOf<T> = { readonly [K in keyof T]-?: ScriptType };

const text: ScriptType = { about: "string" };
const number: ScriptType = { about: "number" };
const nothing: ScriptType = { about: "void" };

const recordMembers: MembersOf<Pick<TableRecord, "id" | "createdAt" | "updatedAt" | "createdBy">> =
  { id: text, createdAt: text, updatedAt: text, createdBy: text };
const record: ScriptType = { about: "record", members: recordMembers };
const records: ScriptType = { about: "records", items: record };

const answerMembers: MembersOf<HttpAnswer> = {
  status: number,
  headers: { about: "object", help: "Header names are in lower case." },
  body: { about: "unknown", help: "Parsed if it is JSON, otherwise text." },
};
const answer: ScriptType = { about: "answer", members: answerMembers };

const listOptions: MembersOf<ListOptions> = {
  filter: { about: "condition" },
  sort: { about: "field, or -field" },
  fields: { about: "names" },
  expand: { about: "relations" },
  q: text,
  limit: { about: "number, at most 200" },
};

/** The options of `context.tables.list` in its signature. */
const OPTIONS = `{ ${Object.keys(listOptions).join(", ")} }`;

const tables: MembersOf<Context["tables"]> = {
  get: { about: "(table, id) → record", returns: record },
  list: { about: `(table, ${OPTIONS}) → records`, returns: records },
  create: { about: "(table, fields) → record", returns: record },
  update: { about: "(table, id, fields) → record", returns: record },
  delete: { about: "(table, id)", returns: nothing },
};

const line: ScriptType = { about: "(message, metadata?)", returns: nothing };
const logLines: MembersOf<Pick<Context["log"], "debug" | "info" | "warn" | "error">> = {
  debug: line,
  info: line,
  warn: line,
  error: line,
};
const workspace: MembersOf<Context["workspace"]> = { id: text, slug: text, name: text };

const members: MembersOf<Context> = {
  tables: { about: "tables of the workspace", members: tables },
  connectors: {
    about: "connectors of the workspace",
    members: { invoke: { about: "(connectorId, action, input) → result" } },
  },
  secrets: {
    about: "secrets of the workspace",
    members: { get: { about: "(name) → string", returns: text } },
  },
  variables: {
    about: "variables of the workspace",
    members: { get: { about: "(name) → value in this environment" } },
  },
  events: {
    about: "the event log",
    members: {
      publish: {
        about: "(topic, { type, payload, deduplicationKey? })",
        returns: { about: "event", members: { id: text, deduplicated: { about: "boolean" } } },
      },
    },
  },
  http: {
    about: "HTTP requests",
    members: {
      request: {
        about: "({ method?, url, headers?, body?, timeoutMs? }) → response",
        returns: answer,
      },
    },
  },
  log: { about: "log of the run", members: logLines },
  workspace: { about: "current environment", members: workspace },
  environment: { about: '"development" | "staging" | "production"' },
  abort: { about: "(reason)", help: "Ends the script without an error.", returns: nothing },
  addMessage: { about: "(level, text)", returns: nothing },
  ui: { about: "fields of a form", members: { set: { about: "(field, change)" } } },
};

export const contextType: ScriptType = { about: "platform functions", members };

const list = (about: string, help?: string): ScriptType => ({ about, ...(help && { help }) });

/** The members of strings and lists that scripts use most. */
export const TEXT_MEMBERS: Readonly<Record<string, ScriptType>> = {
  length: number,
  includes: list("(text) → boolean"),
  startsWith: list("(text) → boolean"),
  endsWith: list("(text) → boolean"),
  split: list("(separator) → list"),
  slice: list("(from, to?) → string"),
  trim: list("() → string"),
  toLowerCase: list("() → string"),
  toUpperCase: list("() → string"),
  replaceAll: list("(search, replacement) → string"),
  padStart: list("(width, filler?) → string"),
};
export const LIST_MEMBERS: Readonly<Record<string, ScriptType>> = {
  length: number,
  map: list("((item) => …) → list"),
  filter: list("((item) => …) → list"),
  find: list("((item) => …) → item"),
  some: list("((item) => …) → boolean"),
  every: list("((item) => …) → boolean"),
  reduce: list("((sum, item) => …, first) → value"),
  flatMap: list("((item) => …) → list"),
  forEach: list("((item) => …)"),
  includes: list("(item) → boolean"),
  join: list("(separator) → string"),
  slice: list("(from, to?) → list"),
  at: list("(index) → item"),
  toSorted: list("((a, b) => …) → list"),
};
