import { TICKET_KIND } from "@millrace/client/enums";
import type { OperationId } from "../api.ts";
import { choicesOf } from "../../ui/form/choices.ts";

export type TicketKind = (typeof TICKET_KIND)[number];

/** The ticket kinds with their labels for headings and filters. */
export const TICKET_KINDS = choicesOf(TICKET_KIND, {
  incident: "Incidents",
  request: "Requests",
  problem: "Problems",
  change: "Changes",
});

export type Kind = TicketKind;

interface KindOps<K extends string> {
  readonly path: string;
  readonly word: string;
  readonly read: OperationId;
  readonly write: OperationId;
  readonly name: K;
}

export const KINDS: { readonly [K in Kind]: KindOps<K> } = {
  incident: {
    name: "incident",
    path: "incidents",
    word: "Incident",
    read: "incidents.list_children",
    write: "incidents.update",
  },
  request: {
    name: "request",
    path: "requests",
    word: "Request",
    read: "requests.get",
    write: "requests.update",
  },
  problem: {
    name: "problem",
    path: "problems",
    word: "Problem",
    read: "problems.get",
    write: "problems.update",
  },
  change: {
    name: "change",
    path: "changes",
    word: "Change",
    read: "changes.get",
    write: "changes.update",
  },
};

const BY_PREFIX: Readonly<Record<string, Kind>> = {
  inc: "incident",
  req: "request",
  prb: "problem",
  chg: "change",
};

/** Returns the kind of a ticket by its number or id. */
export function kindOf(reference: string): Kind | undefined {
  return BY_PREFIX[reference.slice(0, 3).toLowerCase()];
}

export function kindOfPath(path: string): Kind | undefined {
  return Object.values(KINDS).find((one) => one.path === path)?.name;
}

/** The address of a ticket's own page. */
export function ticketPath(number: string): string {
  const kind = kindOf(number);
  return kind ? `/desk/${KINDS[kind].path}/${number}` : `/tickets/${number}`;
}
