/** A ticket before it is created. Values entered for one kind are kept when the kind changes. */
import type { Kind } from "../ticket-kind.ts";
import { findContactGap, type NewContact } from "./new-contact.ts";

export interface TicketDraft {
  readonly callerId?: string | undefined;
  /** The contact to create as the caller. */
  readonly contact?: NewContact | undefined;
  readonly category: string;
  readonly ciIds: readonly string[];
  /** Ids of uploaded files. */
  readonly fileIds: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly teamId?: string | undefined;
  readonly impact: number;
  readonly urgency: number;
  readonly priority: number;
  readonly changeType: "standard" | "normal" | "emergency";
  readonly plannedStart?: string | undefined;
  readonly plannedEnd?: string | undefined;
  /** The catalog item of a request. */
  readonly itemId?: string | undefined;
  /** The answers to the form of that item. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Custom fields of the kind. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export const EMPTY: TicketDraft = {
  title: "",
  category: "",
  ciIds: [],
  fileIds: [],
  description: "",
  impact: 3,
  urgency: 3,
  priority: 3,
  changeType: "normal",
  values: {},
  fields: {},
};

/** The props of the fields of each kind. */
export interface DraftFieldsProps {
  readonly draft: TicketDraft;
  readonly onChange: (next: Partial<TicketDraft>) => void;
  readonly errorOf: (field: string) => string | undefined;
}

/** Returns the request body that creates the ticket. */
export function toBody(kind: Kind, draft: TicketDraft): Readonly<Record<string, unknown>> {
  const { callerId, teamId, title, description, itemId, values, plannedStart, plannedEnd } = draft;
  const maybe = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
  const fields = Object.keys(draft.fields).length === 0 ? {} : { fields: draft.fields };
  if (kind === "request") return { itemId, values, ...maybe("requestedFor", callerId) };
  const common = {
    title: title.trim(),
    description,
    ...maybe("teamId", teamId),
    ...(draft.ciIds.length > 0 && { ciIds: [...draft.ciIds] }),
    ...fields,
  };
  if (kind === "problem") return { ...common, priority: draft.priority };
  if (kind === "change") {
    const times = { ...maybe("plannedStart", plannedStart), ...maybe("plannedEnd", plannedEnd) };
    return { ...common, type: draft.changeType, impact: draft.impact, ...times };
  }
  const { impact, urgency } = draft;
  const category = draft.category.trim() || undefined;
  return {
    ...common,
    impact,
    urgency,
    ...maybe("category", category),
    ...maybe("callerId", callerId),
  };
}

/** Returns the missing values by field. */
export function findGaps(kind: Kind, draft: TicketDraft): Readonly<Record<string, string>> {
  if (kind === "request") {
    return draft.itemId === undefined ? { itemId: "Select a catalog item." } : {};
  }
  const caller = kind === "incident" && draft.contact && findContactGap(draft.contact);
  return {
    ...(draft.title.trim() === "" && { title: "Enter a title." }),
    ...(caller && { callerId: caller }),
  };
}
