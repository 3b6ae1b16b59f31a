import { useMemo } from "react";
import { useOp } from "../data/api.ts";
import { useMembers, useNames } from "../data/names/names.ts";
import { useMay } from "../data/people.ts";
import { useRequestAnswers } from "./request/request-answers.tsx";
import type { Ticket } from "./ticket-kind.ts";

/** The caller: a member, or a contact without an account. */
export interface Caller {
  readonly id: string;
  readonly name: string | undefined;
  readonly address: string | undefined;
  readonly phone: string | undefined;
  readonly isContact: boolean;
}

export function useCaller(callerId: string | null): Caller | undefined {
  const may = useMay();
  const nameOf = useNames();
  const isContact = callerId?.startsWith("cnt_") === true;
  const contact = useOp(
    "contacts.get",
    { params: { id: callerId ?? "" } },
    { enabled: isContact && may("contacts.get") },
  ).data?.data;
  const [member] = useMembers(
    useMemo(() => (callerId === null || isContact ? [] : [callerId]), [callerId, isContact]),
  );
  if (callerId === null) return undefined;
  return {
    id: callerId,
    name: isContact ? contact?.name : (member?.name ?? nameOf(callerId)),
    address: isContact ? (contact?.address ?? undefined) : member?.email,
    phone: contact?.phone ?? undefined,
    isContact,
  };
}

/** The caller's name for the salutation. For requests, approvers can see it too, although they can't list people. */
export function useCallerName({ kind, number, callerId, createdBy }: Ticket): string | undefined {
  const known = useCaller(callerId ?? createdBy)?.name;
  const asked = useRequestAnswers(kind === "request" ? number : undefined);
  return known ?? asked?.requestedFor.name;
}
