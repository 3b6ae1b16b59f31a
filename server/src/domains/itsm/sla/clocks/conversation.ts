import type { RecordedEvent } from "#kernel/log/event.ts";

/** The clock fields for tracking which party is waiting for a reply. */
interface Conversation {
  readonly askerIds: readonly string[];
}

type TicketPeople = Readonly<Record<string, unknown>>;

/** Returns true for a public comment by a person waiting for a reply. */
export function isQuestion({ askerIds }: Conversation, { data, actor }: RecordedEvent): boolean {
  const isAsker = askerIds.includes(actor.id) || askerIds.includes(String(data["createdBy"]));
  return data["internal"] === false && (isAsker || data["byAgent"] === false);
}

/** True for a public comment by an agent who is not the requester. */
export function isAnswer({ askerIds }: Conversation, { data, actor }: RecordedEvent): boolean {
  const isPerson = actor.type === "user" || actor.type === "api_token";
  // Comments of earlier versions do not contain the author's role.
  const isAgent = data["byAgent"] !== false;
  const isAsker = askerIds.includes(actor.id) || askerIds.includes(String(data["createdBy"]));
  return data["internal"] === false && isPerson && isAgent && !isAsker;
}

/** The people who created a ticket. An automation has none, because its user may not know about the ticket. */
export function findCreators(ticket: TicketPeople, { actor }: RecordedEvent): readonly string[] {
  if (actor.type === "workflow" || actor.type === "system") return [];
  const createdBy = ticket["createdBy"];
  return typeof createdBy === "string" ? [createdBy, actor.id] : [actor.id];
}

/** The people who wait for a reply: the caller, or the creators. */
export function selectAskers(ticket: TicketPeople, creators: readonly string[]): readonly string[] {
  const named = ticket["callerId"] ?? ticket["requestedFor"];
  return typeof named === "string" ? [named] : creators;
}
