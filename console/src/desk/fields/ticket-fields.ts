/** The editable fields of each ticket kind, with the control for each. */
import type { Kind, Ticket } from "../ticket-kind.ts";

export type FieldType =
  | "line"
  | "area"
  | "level"
  | "priority"
  | "severity"
  | "changeType"
  | "caller"
  | "person"
  | "team"
  | "category"
  | "items"
  | "time";

export interface EditedField {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  /** True if an empty value is sent as null. */
  readonly isNullable?: true;
  /** The states in which the field is editable; by default, all. */
  readonly states?: readonly string[];
}

const TITLE: EditedField = { name: "title", label: "Title", type: "line" };
const DESCRIPTION: EditedField = { name: "description", label: "Description", type: "area" };
const IMPACT: EditedField = { name: "impact", label: "Impact", type: "level" };
const SHARED: readonly EditedField[] = [
  { name: "assigneeId", label: "Assignee", type: "person", isNullable: true },
  { name: "teamId", label: "Team", type: "team", isNullable: true },
  { name: "ciIds", label: "Affected items", type: "items" },
];
const RESOLVED = ["resolved", "closed"];

/** The fields of the dialog "Edit ticket", in order. */
export const EDITED_FIELDS: Readonly<Record<Kind, readonly EditedField[]>> = {
  incident: [
    TITLE,
    DESCRIPTION,
    { name: "callerId", label: "Caller", type: "caller", isNullable: true },
    { name: "category", label: "Category", type: "category" },
    IMPACT,
    { name: "urgency", label: "Urgency", type: "level" },
    { name: "severity", label: "Severity", type: "severity" },
    ...SHARED,
    {
      name: "onHoldReason",
      label: "Reason for hold",
      type: "line",
      isNullable: true,
      states: ["on_hold"],
    },
    {
      name: "holdUntil",
      label: "On hold until",
      type: "time",
      isNullable: true,
      states: ["on_hold"],
    },
    { name: "resolution", label: "Resolution", type: "area", states: RESOLVED },
    { name: "resolutionCode", label: "Resolution code", type: "line", states: RESOLVED },
  ],
  request: SHARED,
  problem: [
    TITLE,
    DESCRIPTION,
    { name: "priority", label: "Priority", type: "priority" },
    ...SHARED,
    { name: "rootCause", label: "Cause", type: "area", isNullable: true },
    { name: "workaround", label: "Workaround", type: "area", isNullable: true },
  ],
  change: [
    TITLE,
    DESCRIPTION,
    { name: "type", label: "Type", type: "changeType" },
    IMPACT,
    { name: "justification", label: "Justification", type: "area" },
    { name: "implementationPlan", label: "Implementation plan", type: "area" },
    { name: "testPlan", label: "Test plan", type: "area" },
    { name: "rollbackPlan", label: "Rollback plan", type: "area" },
    { name: "plannedStart", label: "Planned start", type: "time", isNullable: true },
    { name: "plannedEnd", label: "Planned end", type: "time", isNullable: true },
    ...SHARED,
  ],
};

/** Fields that are edited outside the dialog, and where. */
export const OTHER_CONTROLS: Readonly<Record<string, string>> = {
  tags: "desk/strip/tags.tsx",
  fields: "desk/strip/own-fields.tsx",
  state: "data/tickets/incident-actions.ts",
  approval: "changes/form/approver-fields.tsx",
  approvalsRequired: "changes/form/approver-fields.tsx",
};

/** Returns the fields that are editable in the ticket's state. */
export const fieldsOf = ({ kind, state }: Pick<Ticket, "kind" | "state">): readonly EditedField[] =>
  EDITED_FIELDS[kind].filter(({ states }) => states?.includes(state) ?? true);

type Values = Readonly<Record<string, unknown>>;

/** Returns the changed fields as the body of a PATCH request. */
export function toPatch(ticket: Pick<Ticket, "kind" | "state" | "all">, values: Values): Values {
  const changed = fieldsOf(ticket).flatMap(({ name, isNullable }) => {
    if (!Object.hasOwn(values, name)) return [];
    const given = values[name] ?? (isNullable ? null : "");
    const value = given === "" && isNullable ? null : given;
    const isSame = JSON.stringify(value) === JSON.stringify(ticket.all[name] ?? null);
    return isSame ? [] : [[name, value] as const];
  });
  return Object.fromEntries(changed);
}
