/** Bulk actions on selected tickets: each is a single request, with a dry run first. */
import type { Input, Schemas } from "../../data/api.ts";
import type { ActField } from "./act-input.tsx";

export type Values = Readonly<Record<string, unknown>>;
export type BulkStep = NonNullable<Input<"tickets.bulk">["body"]>["acts"][number];
type Result = Schemas["ActResult"];

export interface BulkAct {
  readonly id: string;
  readonly label: string;
  readonly keys?: string;
  /** The dialog title, such as "Resolve 2 tickets". */
  readonly title: (tickets: string) => string;
  readonly fields?: readonly ActField[];
  /** Placeholders for the texts of the form in dry runs: texts do not affect whether an action is possible. */
  readonly sample?: Values;
  /** Returns the steps to send; undefined while the form is incomplete. */
  readonly toSteps: (values: Values) => readonly BulkStep[] | undefined;
  /** The effect on a ticket if it is not visible in the queue's fields. */
  readonly effect?: string;
  /** Steps that revert the action where the server does not offer undo. */
  readonly undo?: (done: readonly Result[]) => readonly BulkUndo[];
}

export interface BulkUndo {
  readonly ids: readonly string[];
  readonly steps: readonly BulkStep[];
}

const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Sets the fields of the form that have a value. */
const setFields = (values: Values): readonly BulkStep[] | undefined => {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== "");
  return given.length === 0 ? undefined : [{ act: "set", set: Object.fromEntries(given) }];
};

export const BULK_ACTS: readonly BulkAct[] = [
  {
    id: "take",
    label: "Assign to me",
    keys: "t",
    title: (tickets) => `Assign ${tickets} to me`,
    toSteps: () => [{ act: "take" }],
  },
  {
    id: "resolve",
    label: "Resolve…",
    keys: "e",
    title: (tickets) => `Resolve ${tickets}`,
    fields: [{ name: "resolution", label: "Resolution", type: "area" }],
    sample: { resolution: "–" },
    toSteps: (values) => {
      const resolution = textOf(values, "resolution");
      return resolution === undefined ? undefined : [{ act: "resolve", resolution }];
    },
    undo: (done) => reopenAll(done, "Resolved by mistake"),
  },
  {
    id: "hold",
    label: "Put on hold…",
    keys: "h",
    title: (tickets) => `Put ${tickets} on hold`,
    fields: [
      {
        name: "reason",
        label: "Reason for hold",
        type: "line",
        placeholder: "Example: waiting for a replacement part",
      },
      { name: "until", label: "On hold until", type: "time", isOptional: true },
    ],
    sample: { reason: "–" },
    toSteps: (values) => {
      const [reason, until] = [textOf(values, "reason"), textOf(values, "until")];
      if (reason === undefined) return undefined;
      return [{ act: "hold", reason, ...(until !== undefined && { until }) }];
    },
    undo: (done) => [{ ids: done.map(({ id }) => id), steps: [{ act: "resume" }] }],
  },
  {
    id: "start",
    label: "Start work",
    keys: "s",
    title: (tickets) => `Start work on ${tickets}`,
    toSteps: () => [{ act: "resume" }],
  },
  {
    id: "assign",
    label: "Assign to a person…",
    title: (tickets) => `Assign ${tickets}`,
    fields: [{ name: "assigneeId", label: "Assignee", type: "person" }],
    toSteps: setFields,
  },
  {
    id: "team",
    label: "Assign to a team…",
    title: (tickets) => `Assign ${tickets} to a team`,
    fields: [{ name: "teamId", label: "Team", type: "team" }],
    toSteps: setFields,
  },
  {
    id: "priority",
    label: "Set impact and urgency…",
    title: (tickets) => `Set impact and urgency of ${tickets}`,
    fields: [
      { name: "impact", label: "Impact", type: "level", isOptional: true },
      { name: "urgency", label: "Urgency", type: "level", isOptional: true },
    ],
    toSteps: setFields,
  },
  {
    id: "category",
    label: "Set category…",
    title: (tickets) => `Set category of ${tickets}`,
    fields: [{ name: "category", label: "Category", type: "category" }],
    toSteps: setFields,
    effect: "category changes",
  },
  {
    id: "tag",
    label: "Add tag…",
    title: (tickets) => `Add tag to ${tickets}`,
    fields: [{ name: "tag", label: "Tag", type: "line" }],
    toSteps: (values) => {
      const tag = textOf(values, "tag")?.trim();
      return tag === undefined || tag === "" ? undefined : [{ act: "tag", add: [tag] }];
    },
  },
  {
    id: "problem",
    label: "Link to problem…",
    title: (tickets) => `Link ${tickets} to a problem`,
    fields: [{ name: "ticketId", label: "Problem", type: "problem" }],
    toSteps: (values) => {
      const ticketId = textOf(values, "ticketId");
      return ticketId === undefined ? undefined : [{ act: "link", type: "caused_by", ticketId }];
    },
    effect: "link added",
  },
  {
    id: "major",
    label: "Add to major incident…",
    title: (tickets) => `Add ${tickets} to a major incident`,
    fields: [{ name: "majorId", label: "Major incident", type: "major" }],
    toSteps: (values) => {
      const majorId = textOf(values, "majorId");
      return majorId === undefined ? undefined : [{ act: "add_to_major", majorId }];
    },
    effect: "added as child",
  },
  {
    id: "close",
    label: "Close",
    title: (tickets) => `Close ${tickets}`,
    toSteps: () => [{ act: "close" }],
    undo: (done) => reopenAll(done, "Closed by mistake"),
  },
];

/** Reopens tickets. Tickets previously on hold are put back on hold. */
function reopenAll(done: readonly Result[], reason: string): readonly BulkUndo[] {
  const held = new Map<string, string[]>();
  for (const { id, before } of done) {
    if (before?.state !== "on_hold") continue;
    const why = before.onHoldReason ?? "";
    held.set(why, [...(held.get(why) ?? []), id]);
  }
  return [
    { ids: done.map(({ id }) => id), steps: [{ act: "reopen", reason }] },
    ...[...held].map(([why, ids]) => ({
      ids,
      steps: [{ act: "hold" as const, ...(why !== "" && { reason: why }) }],
    })),
  ];
}
