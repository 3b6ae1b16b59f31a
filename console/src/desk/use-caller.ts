import { useOp } from "../data/api.ts";
import { useMay, useNames } from "../data/people.ts";
import type { Ticket } from "./ticket-kind.ts";

/** The person who asks: a member, or a contact who is none. */
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
    { enabled: isContact && may("contacts:read") },
  ).data?.data;
  const people = useOp(
    "users.list",
    { query: { limit: 200 } },
    { enabled: callerId !== null && !isContact && may("users:read") },
  ).data;
  if (callerId === null) return undefined;
  const member = people?.data.find(({ id }) => id === callerId);
  return {
    id: callerId,
    name: isContact ? contact?.name : (member?.name ?? nameOf(callerId)),
    address: isContact ? contact?.address : member?.email,
    phone: contact?.phone ?? undefined,
    isContact,
  };
}

/** The name that an answer begins with. */
export function useCallerName({ callerId, createdBy }: Ticket): string | undefined {
  return useCaller(callerId ?? createdBy)?.name;
}
