/**
 * Ticket parties: callers, creators and invited people. They can read their tickets without permission for the
 * kind, except for internal data.
 */
import type { TSchema } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import type { TicketIdentity, TicketKind, TicketViewer } from "../kind.ts";

/** True for callers, creators, invited watchers and approvers of a ticket. */
export function isParty({ principal }: TicketViewer, ticket: TicketIdentity): boolean {
  if (!principal) return false;
  const { watcherIds = [], approverIds = [] } = ticket;
  return isAsker(principal.id, ticket) || [...watcherIds, ...approverIds].includes(principal.id);
}

/** True for callers and creators of a ticket. */
export function isAsker(
  userId: string,
  {
    callerId,
    callerUserId,
    requestedFor,
    createdBy,
  }: Pick<TicketIdentity, "callerId" | "callerUserId" | "requestedFor" | "createdBy">,
): boolean {
  return [callerId, callerUserId, requestedFor, createdBy].includes(userId);
}

/** True for viewers who see a ticket only as one of its parties. */
export function seesOwnOnly(kind: TicketKind, viewer: TicketViewer): boolean {
  return kind.canSee !== undefined && !kind.canSee(viewer);
}

/** Throws 403 unless the caller works on such tickets or is a party of this one. */
export function assertMayTalk(kind: TicketKind, caller: Caller, ticket: TicketIdentity): void {
  const { write } = kind;
  if (caller.permissions.has(write.name) || (kind.own && isParty(caller, ticket))) return;
  throw new Failure(Forbidden, {
    detail: `For tickets of other people, this requires ${write.name}.`,
  });
}

/** A ticket as visible to its parties. */
export function ticketForParty<T extends object>({ own }: Pick<TicketKind, "own">, ticket: T): T {
  const { fields, schema } = own ?? {};
  if (!fields || !schema) return ticket;
  const hidden = Object.entries(schema.properties).filter(
    ([name]) => !fields.includes(name) && Object.hasOwn(ticket, name),
  );
  return {
    ...ticket,
    ...Object.fromEntries(hidden.map(([name, type]) => [name, emptyValue(type)])),
  };
}

/** An event of a ticket as visible to its parties. Undefined if it is hidden. */
export function eventForParty(kind: TicketKind, event: RecordedEvent): RecordedEvent | undefined {
  const { fields, events } = kind.own ?? {};
  const verb = event.type.slice(event.type.indexOf(".") + 1);
  if ((events && !events.includes(verb)) || event.data["internal"] === true) return undefined;
  if (!fields) return event;
  const { before, after, changes } = event.data;
  if (!isObject(before) || !isObject(after) || !Array.isArray(changes)) {
    return { ...event, data: ticketForParty(kind, dropOthers(kind, event.data)) };
  }
  const visible = changes.filter((field) => fields.includes(String(field)));
  if (visible.length === 0) return undefined;
  const data = {
    ...event.data,
    before: ticketForParty(kind, before),
    after: ticketForParty(kind, after),
    changes: visible,
  };
  return { ...event, data };
}

/** The event data without references to other objects, such as the target of a merge. */
function dropOthers({ own }: TicketKind, data: RecordedEvent["data"]): RecordedEvent["data"] {
  const known = own?.schema?.properties ?? {};
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => Object.hasOwn(known, name) || typeof value !== "object" || value === null,
    ),
  );
}

/** The empty value of a type. */
function emptyValue(schema: TSchema): unknown {
  const { type } = schema as { readonly type?: string | readonly string[] };
  if (type === "array") return [];
  if (type === "string") return "";
  if (type === "object") return {};
  return type === "boolean" ? false : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
