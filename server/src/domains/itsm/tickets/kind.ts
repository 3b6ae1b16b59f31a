/**
 * The kinds of tickets. Each domain of tickets declares its own and contributes it here, so that what
 * all have in common (comments, watchers, links, clocks, the state machines) is written once.
 */
import Type from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { nullable } from "#kernel/schema/schema.ts";
import type { StateMachine } from "./state-machine.ts";
import { LETTERS } from "./ticket-numbers.ts";

export const TICKET_KINDS = ["incident", "change", "problem", "request"] as const;
export type TicketKindName = (typeof TICKET_KINDS)[number];

/** What may be told of a ticket where another thing refers to it. */
export const TicketSummary = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    id: Type.String(),
    number: Type.String(),
    title: Type.String(),
    state: Type.String(),
    workaround: Type.Optional(nullable(Type.String({ description: "Of a problem" }))),
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

/** A ticket, as far as what all kinds share has to know it. */
export interface TicketIdentity extends TicketSummary {
  readonly revision: number;
  /** Who raised it. */
  readonly createdBy: string;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  /** Of a request: whom it is for. */
  readonly requestedFor?: string;
  /** Of a request: who is asked to approve it. */
  readonly approverIds?: readonly string[];
}

/** Whoever looks at tickets. */
export type Onlooker = Pick<Caller, "permissions" | "principal">;

export interface TicketKind {
  readonly kind: TicketKindName;
  /** Begins the ids of its operations, such as `incidents.list_comments`. */
  readonly plural: string;
  /** Of ids. */
  readonly prefix: string;
  /** Of its list, such as `/api/v1/itsm/incidents`. */
  readonly path: `/${string}`;
  /** Its table, which has the columns of `TicketHead`. */
  readonly table: string;
  readonly machine: StateMachine;
  readonly read: Permission;
  readonly write: Permission;
  /** Who may add comments that all may read who see it; those who hold `write` when absent. */
  readonly comment?: Permission;
  /** Whether somebody who holds `read` sees one; without one, whether all. They see all when absent. */
  readonly sees?: (who: Onlooker, ticket?: TicketIdentity) => boolean;
  /** What reports may be about, and what somebody must hold to count them all. */
  readonly reported: { readonly list: ListDefinition; readonly permission: Permission };
  /** Those of these ids that there are. */
  readonly summariesOf: (tx: Tx, ids: readonly string[]) => Promise<readonly TicketSummary[]>;
}

/** Where domains of tickets say that they are one. */
export const TicketKindPoint = extensionPoint<TicketKind>("itsm.ticket_kinds");

/** What names a ticket in a path: its id or its number. */
export function ticketRef(kind: TicketKindName, prefix: string) {
  return Type.String({
    pattern: `^(${idPattern(prefix).replace(/^\^|\$$/g, "")}|${LETTERS[kind]}\\d{7,15})$`,
    description: `The id, or the number: \`${LETTERS[kind]}0000001\``,
  });
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
