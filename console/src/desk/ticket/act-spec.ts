/** What an act of a ticket is: a key, a button, a form, a request, and the way back. */
import type { OperationId } from "../../data/api.ts";
import type { Ticket } from "../ticket-kind.ts";

export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly type:
    | "line"
    | "area"
    | "ticket"
    | "problem"
    | "major"
    | "severity"
    | "level"
    | "category"
    | "team"
    | "person"
    | "time"
    | "check";
  readonly isOptional?: boolean;
  readonly placeholder?: string;
}

export interface ActSpec {
  readonly id: string;
  readonly label: string;
  readonly keys?: string;
  readonly op: OperationId;
  /** States in which it can be done; all where there are none. */
  readonly from?: readonly string[];
  readonly permission: string;
  readonly fields?: readonly ActField[];
  readonly body?: Readonly<Record<string, unknown>>;
  /** Shown before the server has said yes. Never where somebody decides. */
  readonly shows?: (ticket: Ticket, meId: string) => Partial<Ticket>;
  /** The request that undoes it. */
  readonly undo?: (ticket: Ticket) => UndoSpec | undefined;
  /** Follows the number, as in "INC0000012 is yours". */
  readonly said: string;
  readonly isDangerous?: boolean;
  readonly isMain?: boolean;
}

export interface UndoSpec {
  readonly op: OperationId;
  readonly body: Readonly<Record<string, unknown>>;
}

export const REASON: ActField = { name: "reason", label: "Why?", type: "area" };
export const MAYBE_REASON: ActField = { ...REASON, isOptional: true };

export const take = (op: OperationId, update: OperationId, permission: string): ActSpec => ({
  id: "take",
  label: "Take it",
  keys: "t",
  op,
  permission,
  shows: (_, meId) => ({ assigneeId: meId }),
  undo: ({ assigneeId }) => ({ op: update, body: { assigneeId } }),
  said: "is yours",
});
