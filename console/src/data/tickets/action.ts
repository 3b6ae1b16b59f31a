/**
 * The actions of tickets. States, permissions and form fields come from the generated contract; this file adds
 * labels, shortcuts and undo.
 */
import type { OperationId, Operations } from "@millrace/client";
import { MACHINES, STATES } from "@millrace/client/machines";

export type TicketKind = keyof typeof MACHINES;

/** A state machine action performed by an update, such as `hold`. */
type Action<K extends TicketKind> = keyof (typeof MACHINES)[K]["actions"] & string;
type FieldOf<O extends OperationId> = O extends unknown
  ? Operations[O] extends { body?: infer B }
    ? keyof NonNullable<B> & string
    : never
  : never;

/** The ticket fields used by actions. */
export interface ActionTicket {
  readonly kind: TicketKind;
  readonly state: string;
  readonly assigneeId: string | null;
  readonly isMajor?: boolean;
  readonly onHoldReason?: string | null;
  /** The run that fulfils a request. */
  readonly runId?: string | null;
}

export interface ActionField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  /** Required by the console, although optional for the server. */
  readonly isRequired?: boolean;
  /** The kind of open ticket that the field selects by id. */
  readonly picks?: TicketKind;
}

export interface ActionQuestion {
  readonly title: string;
  readonly text: string;
  readonly act: string;
}

export interface TicketAction {
  readonly id: string;
  readonly op: OperationId;
  readonly label: string;
  /** The form title, if it is not the label and the number. */
  readonly title?: (number: string) => string;
  readonly keys?: string;
  /** The confirmation for an action that affects others. */
  readonly asks?: ActionQuestion;
  /** Has warnings that need a reason, such as the start of a change outside its window. */
  readonly needsReason?: boolean;
  /** For updates that perform a transition: the name of the action in the state machine. */
  readonly transition?: string;
  readonly fields?: readonly ActionField[];
  /** Fixed body fields not shown in the form. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Fields to update optimistically. Not used for decisions. */
  readonly shows?: (ticket: ActionTicket, meId: string) => Readonly<Record<string, unknown>>;
  /** The inverse request, where the server does not offer undo. */
  readonly undo?: (ticket: ActionTicket) => UndoRequest | undefined;
  /** Follows the number in the toast, as in "INC0000012 assigned to you". */
  readonly said: string;
  readonly isDangerous?: boolean;
  readonly isMain?: boolean;
}

export interface UndoRequest {
  readonly op: OperationId;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Declared<K extends TicketKind, O extends OperationId> extends Omit<
  TicketAction,
  "op" | "transition" | "fields" | "body"
> {
  readonly op: O;
  readonly transition?: Action<K>;
  readonly fields?: readonly (ActionField & { readonly name: FieldOf<O> })[];
  readonly body?: { readonly [N in FieldOf<O>]?: unknown };
}

/** Declares an action of a ticket kind; its fields are type-checked against the operation's body. */
export const actionOf =
  <K extends TicketKind>(_kind: K) =>
  <const O extends OperationId>(action: Declared<K, O>): TicketAction =>
    action;

export const take = (op: OperationId, update: OperationId): TicketAction => ({
  id: "take",
  label: "Assign to me",
  keys: "t",
  op,
  shows: (_, meId) => ({ assigneeId: meId }),
  undo: ({ assigneeId }) => ({ op: update, body: { assigneeId } }),
  said: "assigned to you",
});

const states: Readonly<Partial<Record<string, readonly string[]>>> = STATES;

/** Returns the states in which the server performs an action; undefined for all states. */
export function statesOf(kind: TicketKind, action: TicketAction): readonly string[] | undefined {
  const { actions } = MACHINES[kind];
  const known: Readonly<Partial<Record<string, { readonly from: readonly string[] }>>> = actions;
  if (action.transition !== undefined) return known[action.transition]?.from;
  return states[action.op];
}
