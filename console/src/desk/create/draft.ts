/** A ticket before it is created. Values entered for one kind are kept when the kind changes. */
import type { DraftOf } from "../../data/form/use-form.ts";
import type { Kind } from "../ticket-kind.ts";
import type { NewContact } from "./new-contact.ts";

export const CREATE = {
  incident: "incidents.create",
  request: "requests.submit",
  problem: "problems.create",
  change: "changes.create",
} as const;

export type CreateOperation = (typeof CREATE)[Kind];

/** The fields of all kinds. A request contains only those of its operation. */
export type TicketDraft = DraftOf<CreateOperation> & {
  /** The contact to create as the caller. */
  readonly contact?: NewContact | null | undefined;
  /** Ids of uploaded files. */
  readonly fileIds?: readonly string[] | null | undefined;
};

export const INITIAL: TicketDraft = {
  impact: 3,
  urgency: 3,
  priority: 3,
  type: "normal",
  values: {},
};

/** Returns errors not covered by the schema, by path. */
export function findFaults(
  kind: Kind,
  { title, contact, plannedStart, plannedEnd }: TicketDraft,
): Readonly<Record<string, string | undefined>> {
  if (kind === "change") {
    return {
      // The schema does not require a title, because a template can have one.
      title: title?.trim() ? undefined : "is required",
      plannedEnd:
        plannedStart && plannedEnd && plannedEnd <= plannedStart
          ? "must be after the start"
          : undefined,
    };
  }
  if (kind !== "incident" || !contact) return {};
  const isReachable = contact.address.trim() !== "" || contact.phone.trim() !== "";
  return {
    "contact/name": contact.name.trim() === "" ? "is required" : undefined,
    "contact/address": isReachable ? undefined : "Enter an e-mail address or a phone number.",
  };
}
