import type { Schemas } from "../../data/api.ts";

type Outcome = Schemas["MacroOutcome"];

const FIELDS: Readonly<Record<string, string>> = {
  assigneeId: "assignee",
  teamId: "team",
  isOpen: "open",
  onHoldReason: "reason",
};
const VERBS: Readonly<Record<string, string>> = { update: "update", add_comment: "comment" };

/** Describes how two results of a macro on one ticket differ: errors, then fields, then calls. */
export function describeDifference(before: Outcome, after: Outcome): readonly string[] {
  if (after.refusal) return [`would fail: ${after.refusal.message}`];
  if (before.refusal) return ["would no longer fail"];
  const names = [...new Set([...Object.keys(before.changes), ...Object.keys(after.changes)])];
  const fields = names
    .filter((name) => !isSame(before.changes[name], after.changes[name]))
    .map((name) => {
      const [was, is] = [before, after].map(({ changes }) => toText(changes, name));
      return `${FIELDS[name] ?? name}: ${was} → ${is}`;
    });
  if (fields.length > 0) return fields;
  const [was, is] = [before, after].map(({ calls }) => new Set(calls.map((call) => toCall(call))));
  return [
    ...[...(is ?? [])].filter((call) => !was?.has(call)).map((call) => `+ ${call}`),
    ...[...(was ?? [])].filter((call) => !is?.has(call)).map((call) => `− ${call}`),
  ];
}

function toText(changes: Outcome["changes"], name: string): string {
  if (!Object.hasOwn(changes, name)) return "unchanged";
  const value = changes[name];
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toCall({ verb, body }: Outcome["calls"][number]): string {
  const text = typeof body["body"] === "string" ? body["body"] : JSON.stringify(body);
  return text === "{}" ? (VERBS[verb] ?? verb) : `${VERBS[verb] ?? verb}: ${text}`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
