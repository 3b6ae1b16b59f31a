import { useState } from "react";
import { applyChange, describeRefusal, isConflict } from "../../data/change.ts";
import { call, etagOf, type Input, type OperationId } from "../../data/api.ts";
import { useMay, useMe } from "../../data/people.ts";
import { notify } from "../../ui/toast.tsx";
import { refreshTickets, showFields } from "../ticket-cache.ts";
import { getOf, type Ticket } from "../ticket-kind.ts";
import { type ActSpec, actsFor, refusalOf } from "./act-table.ts";

type Values = Readonly<Record<string, unknown>>;

export interface OfferedAct extends ActSpec {
  readonly disabled: string | undefined;
  readonly run: () => void;
}

/** An act that was refused because somebody else was first. */
export interface Conflict {
  readonly act: ActSpec;
  readonly values: Values;
}

/** An act whose form is open, and the version of the ticket that it was opened on. */
interface Asked {
  readonly act: ActSpec;
  readonly etag: string | undefined;
}

/** Calls an operation of any kind's ticket; their inputs differ in the body alone. */
export function sendTo(
  op: OperationId,
  id: string,
  body: Values | undefined,
  ifMatch?: string,
): Promise<unknown> {
  const hasBody = body !== undefined && Object.keys(body).length > 0;
  const input = { params: { id }, ...(hasBody && { body }) };
  return call(op, input as unknown as Input<OperationId>, ifMatch === undefined ? {} : { ifMatch });
}

export function etagOfTicket({ kind, number }: Pick<Ticket, "kind" | "number">) {
  return etagOf(getOf(kind), { params: { id: number } });
}

/** The acts of a ticket for this person, what is being asked for one, and what stood in its way. */
export function useTicketActs(ticket: Ticket | undefined) {
  const may = useMay();
  const meId = useMe()?.user.id;
  const [asked, setAsked] = useState<Asked>();
  const [conflict, setConflict] = useState<Conflict>();

  const perform = async (act: ActSpec, values: Values, etag?: string): Promise<boolean> => {
    if (!ticket) return false;
    const { kind, id, number } = ticket;
    const body = { ...act.body, ...values };
    const undo = act.undo?.(ticket);
    const shown = act.shows?.(ticket, meId ?? "") as Values | undefined;
    let wasConflict = false;
    const isDone = await applyChange({
      ...(shown && { show: () => showFields(ticket, shown) }),
      async send() {
        try {
          await sendTo(act.op, id, body, etag);
        } catch (error) {
          wasConflict = isConflict(error);
          throw error;
        }
      },
      said: `${number} ${act.said}`,
      ...(undo && {
        undo: async () => {
          await sendTo(undo.op, id, undo.body);
          refreshTickets(kind);
        },
      }),
    });
    refreshTickets(kind);
    setConflict(wasConflict ? { act, values } : undefined);
    if (isDone || wasConflict) setAsked(undefined);
    return isDone;
  };

  const begin = (act: ActSpec): void => {
    if (!ticket) return;
    const etag = etagOfTicket(ticket);
    if (act.fields) setAsked({ act, etag });
    // A person who takes a ticket is told by the server if somebody else was faster, not by its version.
    else void perform(act, {}, act.id === "take" ? undefined : etag);
  };

  const acts: readonly OfferedAct[] = ticket
    ? actsFor(ticket).map((act) => ({
        ...act,
        disabled: refusalOf(act, ticket, { may, meId }),
        run: () => begin(act),
      }))
    : [];

  return {
    acts,
    asked,
    conflict,
    close: () => setAsked(undefined),
    submit: (values: Values) => asked && void perform(asked.act, values, asked.etag),
    insist: () => conflict && void perform(conflict.act, conflict.values),
    forget: () => setConflict(undefined),
  };
}

/** Changes fields of a ticket in place. */
export async function changeFields(
  ticket: Ticket,
  op: OperationId,
  fields: Values,
  said: string,
): Promise<void> {
  await applyChange({
    // Of own fields those that are not named stay: the server knows the whole.
    ...(!("fields" in fields) && { show: () => showFields(ticket, fields) }),
    send: () => sendTo(op, ticket.id, fields, etagOfTicket(ticket)),
    said,
  });
  refreshTickets(ticket.kind);
}

export function tellRefusal(error: unknown): void {
  notify(describeRefusal(error));
}
