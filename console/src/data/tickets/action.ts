/**
 * What people can do with a ticket. Which states allow an action, who may do it and what its form asks come from the
 * generated contract; what stands here is words, keys and the way back.
 */
import type { OperationId, Operations } from "@millrace/client";
import { MACHINES, STATES } from "@millrace/client/machines";

export type TicketKind = keyof typeof MACHINES;

/** The action of a state machine that an update performs, as `hold` of an incident. */
type Action<K extends TicketKind> = keyof (typeof MACHINES)[K]["actions"] & string;
type FieldOf<O extends OperationId> = O extends unknown
  ? Operations[O] extends { body?: infer B }
    ? keyof NonNullable<B> & string
    : never
  : never;

/** A ticket, as far as its actions look at it. */
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
  /** Asked for by the console, though the server does not need it. */
  readonly isRequired?: boolean;
  /** The kind of open ticket that the field names by its id. */
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
  /** Of its form, where the label and the number do not make one. */
  readonly title?: (number: string) => string;
  readonly keys?: string;
  /** The question before an action that starts something for others. */
  readonly asks?: ActionQuestion;
  /** Has warnings that need a reason, such as the start of a change outside its window. */
  readonly needsReason?: boolean;
  /** Where an update performs a transition: the name of that in the machine. */
  readonly transition?: string;
  readonly fields?: readonly ActionField[];
  /** The part of the body that nobody is asked for. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Shown before the server has said yes. Never where somebody decides. */
  readonly shows?: (ticket: ActionTicket, meId: string) => Readonly<Record<string, unknown>>;
  /** The request that undoes it, where the server has no way back. */
  readonly undo?: (ticket: ActionTicket) => UndoRequest | undefined;
  /** Follows the number, as in "INC0000012 is yours". */
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

/** Declares an action of a kind of ticket: its fields are those of the operation's body. */
export const actionOf =
  <K extends TicketKind>(_kind: K) =>
  <const O extends OperationId>(action: Declared<K, O>): TicketAction =>
    action;

export const take = (op: OperationId, update: OperationId): TicketAction => ({
  id: "take",
  label: "Take it",
  keys: "t",
  op,
  shows: (_, meId) => ({ assigneeId: meId }),
  undo: ({ assigneeId }) => ({ op: update, body: { assigneeId } }),
  said: "is yours",
});

const states: Readonly<Partial<Record<string, readonly string[]>>> = STATES;

/** The states in which the server performs an action; undefined where it does in all. */
export function statesOf(kind: TicketKind, action: TicketAction): readonly string[] | undefined {
  const { actions } = MACHINES[kind];
  const known: Readonly<Partial<Record<string, { readonly from: readonly string[] }>>> = actions;
  if (action.transition !== undefined) return known[action.transition]?.from;
  return states[action.op];
}
