import type { RecordedEvent } from "#kernel/log/event.ts";

/** The part of a clock that tells who waits for whom. */
interface Conversation {
  readonly askerIds: readonly string[];
}

type TicketPeople = Readonly<Record<string, unknown>>;

/** True of a public comment by somebody who waits for an answer. */
export function isQuestion({ askerIds }: Conversation, { data, actor }: RecordedEvent): boolean {
  const isAsker = askerIds.includes(actor.id) || askerIds.includes(String(data["createdBy"]));
  return data["internal"] === false && (isAsker || data["byAgent"] === false);
}

/** True of a public comment by somebody who works on such tickets, and does not wait for the answer. */
export function isAnswer({ askerIds }: Conversation, { data, actor }: RecordedEvent): boolean {
  const isPerson = actor.type === "user" || actor.type === "api_token";
  // Comments of earlier versions do not say by whom they are.
  const isAgent = data["byAgent"] !== false;
  const isAsker = askerIds.includes(actor.id) || askerIds.includes(String(data["createdBy"]));
  return data["internal"] === false && isPerson && isAgent && !isAsker;
}

/** The people who raised a ticket; an automation acts for somebody who need not know of it. */
export function findCreators(ticket: TicketPeople, { actor }: RecordedEvent): readonly string[] {
  if (actor.type === "workflow" || actor.type === "system") return [];
  const createdBy = ticket["createdBy"];
  return typeof createdBy === "string" ? [createdBy, actor.id] : [actor.id];
}

/** The people who wait for an answer: whoever it was raised for, or those who raised it. */
export function selectAskers(ticket: TicketPeople, creators: readonly string[]): readonly string[] {
  const named = ticket["callerId"] ?? ticket["requestedFor"];
  return typeof named === "string" ? [named] : creators;
}
