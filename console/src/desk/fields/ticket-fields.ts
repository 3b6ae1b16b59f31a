/** The editable ticket fields by kind, with their controls. */
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
  /** The states with this field. Default: all. */
  readonly states?: readonly string[];
}

const TITLE: EditedField = { name: "title", label: "Title", type: "line" };
const DESCRIPTION: EditedField = { name: "description", label: "Description", type: "area" };
const IMPACT: EditedField = { name: "impact", label: "Impact", type: "level" };
const SHARED: readonly EditedField[] = [
  { name: "assigneeId", label: "Assignee", type: "person" },
  { name: "teamId", label: "Team", type: "team" },
  { name: "ciIds", label: "Affected items", type: "items" },
];
const RESOLVED = ["resolved", "closed"];

/** The fields of the dialog "Edit ticket", in order. */
export const EDITED_FIELDS: Readonly<Record<Kind, readonly EditedField[]>> = {
  incident: [
    TITLE,
    DESCRIPTION,
    { name: "callerId", label: "Caller", type: "caller" },
    { name: "category", label: "Category", type: "category" },
    IMPACT,
    { name: "urgency", label: "Urgency", type: "level" },
    { name: "severity", label: "Severity", type: "severity" },
    ...SHARED,
    {
      name: "onHoldReason",
      label: "Reason for hold",
      type: "line",
      states: ["on_hold"],
    },
    {
      name: "holdUntil",
      label: "On hold until",
      type: "time",
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
    { name: "rootCause", label: "Cause", type: "area" },
    { name: "workaround", label: "Workaround", type: "area" },
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
    { name: "plannedStart", label: "Planned start", type: "time" },
    { name: "plannedEnd", label: "Planned end", type: "time" },
    ...SHARED,
  ],
};

/** The fields that another file edits. */
export const OTHER_CONTROLS: Readonly<Record<string, string>> = {
  tags: "desk/strip/tags.tsx",
  fields: "desk/strip/own-fields.tsx",
  state: "data/tickets/incident-actions.ts",
  approval: "changes/form/approver-fields.tsx",
  approvalsRequired: "changes/form/approver-fields.tsx",
};

/** The fields of a ticket in its state. */
export const fieldsOf = ({ kind, state }: Pick<Ticket, "kind" | "state">): readonly EditedField[] =>
  EDITED_FIELDS[kind].filter(({ states }) => states?.includes(state) ?? true);
