/**
 * Ticket kinds. Each ticket domain contributes its kind here, so that common features (comments, watchers, links, SLA
 * clocks, state machines) are implemented once.
 */
import Type, { type TObject } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import type { StateMachine } from "./state-machine.ts";
import { LETTERS } from "./ticket-numbers.ts";

export const TICKET_KINDS = ["incident", "change", "problem", "request"] as const;
export type TicketKindName = (typeof TICKET_KINDS)[number];

/** The ticket fields shown where other resources reference the ticket. */
export const TicketSummary = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    state: Type.String(),
    workaround: Type.Optional(
      nullable(Type.String({ description: "Number of linked incidents. Only for problems" })),
    ),
  },
  { title: "TicketSummary" },
);
export interface TicketSummary {
  readonly kind: TicketKindName;
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly workaround?: string | null;
}

/** The ticket fields that shared code needs. */
export interface TicketIdentity extends TicketSummary {
  readonly revision: number;
  /** The creator. */
  readonly createdBy: string;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  /** For an incident: the affected member or contact. */
  readonly callerId?: string | null;
  /** The member with the verified address of the calling contact. */
  readonly callerUserId?: string | null;
  /** The watching members. */
  readonly watcherIds?: readonly string[];
  /** The recipient of a request. */
  readonly requestedFor?: string;
  /** For a request: its approvers. */
  readonly approverIds?: readonly string[];
}

/** A viewer of tickets. */
export type TicketViewer = Pick<Caller, "permissions" | "principal">;

/** Access to own tickets, and the fields visible without read permission. */
export interface OwnTickets {
  /** SQL condition for an own ticket, given SQL for the id of the person. */
  readonly sql: (person: string) => string;
  /** The visible fields; all by default. Hidden fields are null or empty. */
  readonly fields?: readonly string[];
  readonly schema?: TObject;
  /** The verbs of the visible events; all by default. */
  readonly events?: readonly string[];
}

export interface TicketKind {
  readonly kind: TicketKindName;
  /** The operation id prefix, such as `incidents.list_comments`. */
  readonly plural: string;
  /** The id prefix. */
  readonly prefix: string;
  /** The list path, such as `/api/v1/itsm/incidents`. */
  readonly path: `/${string}`;
  /** The table. It has columns for all required fields of `TicketIdentity`. */
  readonly table: string;
  /** The optional fields of `TicketIdentity` that its table has columns for. */
  readonly identityFields?: readonly ("workaround" | "callerId" | "requestedFor")[];
  /** SQL for the ids of the people in the approval of a row. */
  readonly approverIdsSql?: string;
  /** Access of parties to their own tickets. Undefined if every reader of the kind sees all tickets. */
  readonly own?: OwnTickets;
  readonly machine: StateMachine;
  readonly read: Permission;
  readonly write: Permission;
  /** Required to add public comments. Default: `write`. */
  readonly comment?: Permission;
  /**
   * True if a viewer with `read` sees a ticket; without a ticket, true if the viewer sees all. By default every
   * reader sees all.
   */
  readonly canSee?: (viewer: TicketViewer, ticket?: TicketIdentity) => boolean;
  /** The list used by reports, and the permission to count all its tickets. */
  readonly reporting: { readonly list: ListDefinition; readonly permission: Permission };
}

export const TicketKindPoint = extensionPoint<TicketKind>("itsm.ticket_kinds");

/** The schema of a reference to a ticket in a path: its id or its number. */
export function ticketRef(kind: TicketKindName, prefix: string) {
  return Type.String({
    pattern: `^(${idPattern(prefix).replace(/^\^|\$$/g, "")}|${LETTERS[kind]}\\d{7,15})$`,
    description: `The id or the number: \`${LETTERS[kind]}0000001\``,
  });
}

/** The path parameters of an operation on one ticket. */
export function ticketParams({ kind, prefix }: Pick<TicketKind, "kind" | "prefix">) {
  return object({ id: ticketRef(kind, prefix) });
}

/** The column for looking up a reference. */
export function refColumn(ref: string): "id" | "number" {
  return ref.includes("_") ? "id" : "number";
}

/** `an incident`, `a change`. */
export function article(name: string): string {
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

/** A reference for examples. */
export function exampleRef({ prefix }: TicketKind): string {
  return `${prefix}_01jzt3n5k8q2x4v6w8y0z2b4d6`;
}
