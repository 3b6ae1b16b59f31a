import type { OperationId } from "@millrace/client";

/** Returns the console path of a resource; undefined if it has no screen. Records use the slug of their table. */
export function pathOf(type: string, id: string, number?: string | null): string | undefined {
  if (number !== null && number !== undefined && TICKET.test(number)) return `/tickets/${number}`;
  switch (type) {
    case "workflow":
      return `/workflows/${id}`;
    case "run":
    case "workflow_run":
      return `/runs/${id}`;
    case "incident":
    case "change":
    case "problem":
    case "request":
      return `/tickets/${id}`;
    case "article":
      return `/knowledge/${id}`;
    case "catalog_item":
      return `/catalog/${id}`;
    case "dashboard":
      return `/dashboards/${id}`;
    case "person":
    case "user":
      return `/settings/people/${id}`;
    case "table":
      return number ? `/tables/${number}` : undefined;
    case "record":
      return number ? `/tables/${number}/records/${id}` : undefined;
    case "webhook":
      return `/webhooks/${id}`;
    case "connector":
      return `/connectors/${id}`;
    case "artifact":
      return `/artifacts/${id}`;
    case "pack":
      return "/packs";
    case "notification":
      return `/notifications/${id}`;
    default:
      return undefined;
  }
}

/**
 * Operations needed for the screen of a resource type. Ticket types are not listed, because users may see their own
 * tickets.
 */
const READ: Readonly<Record<string, OperationId>> = {
  artifact: "artifacts.list",
  connector: "connectors.list",
  dashboard: "dashboards.list",
  notification: "notifications.list",
  pack: "packs.install",
  person: "users.list",
  record: "records.list",
  run: "workflows.list",
  table: "tables.list",
  user: "users.list",
  webhook: "webhooks.list",
  workflow: "workflows.list",
  workflow_run: "workflows.list",
};

/** Returns the operation required to see a resource of this type; undefined if anyone with a link may see it. */
export const readOperationOf = (type: string): OperationId | undefined => READ[type];

const TICKET = /^(?:INC|CHG|PRB|REQ)\d{7,15}$/;

export const TICKET_KINDS = ["incidents", "changes", "problems", "requests"] as const;
export type TicketKind = (typeof TICKET_KINDS)[number];

const KINDS: Readonly<Record<string, TicketKind>> = {
  inc: "incidents",
  chg: "changes",
  prb: "problems",
  req: "requests",
};

/** Returns the kind of a ticket by its number or id. */
export function ticketKindOf(reference: string): TicketKind | undefined {
  return KINDS[reference.slice(0, 3).toLowerCase()];
}
