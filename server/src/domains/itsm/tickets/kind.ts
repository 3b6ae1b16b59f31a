/**
 * The kinds of tickets. Each domain of tickets declares its own and contributes it here, so that what
 * all have in common (comments, watchers, links, clocks, the state machines) is written once.
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

/** The part of a ticket that is shown where another resource refers to it. */
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

/** A ticket, as far as the code that all kinds share has to know it. */
export interface TicketIdentity extends TicketSummary {
  readonly revision: number;
  /** The person who raised it. */
  readonly createdBy: string;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  /** Of an incident: the person affected, a member or a contact. */
  readonly callerId?: string | null;
  /** The member whose verified address the contact has who is the caller. */
  readonly callerUserId?: string | null;
  /** The members who watch it. */
  readonly watcherIds?: readonly string[];
  /** Of a request: the person whom it is for. */
  readonly requestedFor?: string;
  /** Of a request: those who are asked to approve it. */
  readonly approverIds?: readonly string[];
}

/** A person who looks at tickets. */
export type TicketViewer = Pick<Caller, "permissions" | "principal">;

/** The tickets of a person, and what they see of them without a permission to read all. */
export interface OwnTickets {
  /** SQL that is true of a row that is theirs, given that of their id. */
  readonly sql: (person: string) => string;
  /** The fields that they see; of the others they get nothing: null, none or an empty text. All when absent. */
  readonly fields?: readonly string[];
  /** The schema of a ticket. */
  readonly schema?: TObject;
  /** The verbs of the events that they see; all when absent. */
  readonly events?: readonly string[];
}

export interface TicketKind {
  readonly kind: TicketKindName;
  /** Begins the ids of its operations, such as `incidents.list_comments`. */
  readonly plural: string;
  /** Of ids. */
  readonly prefix: string;
  /** Of its list, such as `/api/v1/itsm/incidents`. */
  readonly path: `/${string}`;
  /** Its table, which has a column for each field of `TicketIdentity` that is not optional. */
  readonly table: string;
  /** The optional fields of `TicketIdentity` that its table has columns for. */
  readonly identityFields?: readonly ("workaround" | "callerId" | "requestedFor")[];
  /** SQL for the people of the approval of a row. */
  readonly approverIdsSql?: string;
  /** The tickets that people see because they are theirs; none where all who read the kind see all. */
  readonly own?: OwnTickets;
  readonly machine: StateMachine;
  readonly read: Permission;
  readonly write: Permission;
  /** Needed to add comments that are not internal; `write` when absent. */
  readonly comment?: Permission;
  /** True when somebody who holds `read` sees a ticket; without one, when they see all. All do when absent. */
  readonly canSee?: (viewer: TicketViewer, ticket?: TicketIdentity) => boolean;
  /** The list that reports are about, and the permission to count all of it. */
  readonly reporting: { readonly list: ListDefinition; readonly permission: Permission };
}

/** Where domains of tickets contribute their kind. */
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

/** The column that a reference is looked up by. */
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
