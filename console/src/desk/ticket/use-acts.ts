import { useState } from "react";
import { etagOf, type Input, type OperationId } from "../../data/api.ts";
import type { Version } from "../../data/form/use-form.ts";
import { useMe, useRefusals } from "../../data/people.ts";
import type { TicketAction } from "../../data/tickets/action.ts";
import { actionsFor, whyNot } from "../../data/tickets/actions.ts";
import { perform as performOperation } from "../../data/use-command.ts";
import { performAction, sendTo } from "../../data/tickets/perform-action.ts";
import { showFields } from "../ticket-cache.ts";
import { getOf, type Ticket } from "../ticket-kind.ts";

export { sendTo };

type Values = Readonly<Record<string, unknown>>;

export interface OfferedAct extends TicketAction {
  readonly disabled: string | undefined;
  readonly run: () => void;
}

/** An action that failed because another user changed the ticket first. */
export interface Conflict {
  readonly act: TicketAction;
}

/** An action with an open form, and the version of the ticket when the form was opened. */
export interface Asked {
  readonly act: TicketAction;
  readonly version: Version<Values>;
}

export function etagOfTicket({ kind, number }: Pick<Ticket, "kind" | "number">) {
  return etagOf(getOf(kind), { params: { id: number } });
}

/** The ticket's actions for the current user, the open form, and conflicts. */
export function useTicketActs(ticket: Ticket | undefined) {
  const refusalOf = useRefusals();
  const meId = useMe()?.user.id;
  const [asked, setAsked] = useState<Asked>();
  const [conflict, setConflict] = useState<Conflict>();

  const perform = async (act: TicketAction, etag?: string): Promise<void> => {
    if (!ticket) return;
    const shown = act.shows?.(ticket, meId ?? "");
    const show = shown && (() => showFields(ticket, shown));
    const isFirst = await performAction(act, ticket, etag, show);
    setConflict(isFirst ? undefined : { act });
  };

  const begin = (act: TicketAction): void => {
    if (!ticket) return;
    const etag = etagOfTicket(ticket);
    if (act.fields) setAsked({ act, version: { etag } });
    // Assigning to oneself sends no version: the server itself reports if another agent was faster.
    else void perform(act, act.id === "take" ? undefined : etag);
  };

  const acts: readonly OfferedAct[] = ticket
    ? actionsFor(ticket).map((act) => ({
        ...act,
        disabled: refusalOf(act.op) ?? whyNot(act, ticket, meId),
        run: () => begin(act),
      }))
    : [];

  return {
    acts,
    asked,
    conflict,
    close: () => setAsked(undefined),
    insist: () => conflict && void perform(conflict.act),
    forget: () => setConflict(undefined),
  };
}

/** Changes fields of a ticket in place. */
export function changeFields(
  ticket: Ticket,
  op: OperationId,
  fields: Values,
  said: string,
): Promise<unknown> {
  const input = { params: { id: ticket.id }, body: fields } as unknown as Input<OperationId>;
  return performOperation(op, input, {
    // Custom fields are not shown optimistically: the request names only the changed ones, and the cache needs all.
    ...(!("fields" in fields) && { show: () => showFields(ticket, fields) }),
    ifMatch: etagOfTicket(ticket),
    said,
  });
}
