/** The actions on a change's page: the actions of its state, and two forms. */
import { useState } from "react";
import { etagOf } from "../../data/api.ts";
import { useMe, useRefusals } from "../../data/people.ts";
import type { TicketAction } from "../../data/tickets/action.ts";
import { actionsFor, whyNot } from "../../data/tickets/actions.ts";
import { performAction } from "../../data/tickets/perform-action.ts";
import { useActions } from "../../shell/actions.ts";
import type { Change } from "./use-change.ts";

const PLANNED: readonly Change["state"][] = ["draft", "submitted", "approved", "rejected"];
const DRAFT: readonly Change["state"][] = ["draft", "rejected"];

/** Update forms of this page, for states in which the plan can still change. */
const FORMS: readonly (TicketAction & { readonly from: readonly Change["state"][] })[] = [
  { id: "edit", op: "changes.update", label: "Edit", keys: "e", said: "", from: DRAFT },
  { id: "move", op: "changes.update", label: "Reschedule", keys: "w", said: "", from: PLANNED },
];

/** Votes have their own place on the page. */
const VOTES = ["approve", "reject"];

export interface OfferedAct extends TicketAction {
  readonly disabled: string | undefined;
  readonly run: () => void;
}

export function useChangeActs(change: Change) {
  const refusalOf = useRefusals();
  const me = useMe()?.user.id;
  const [open, setOpen] = useState<TicketAction>();
  const ticket = { ...change, kind: "change" as const };
  const etag = etagOf("changes.get", { params: { id: change.number } });
  const begin = (action: TicketAction): void => {
    if (action.fields || FORMS.some(({ id }) => id === action.id)) setOpen(action);
    else void performAction(action, ticket, etag);
  };
  const acts: readonly OfferedAct[] = [
    ...actionsFor(ticket).filter(({ id }) => !VOTES.includes(id)),
    ...FORMS.filter(({ from }) => from.includes(change.state)),
  ]
    .filter((action) => whyNot(action, change, me) === undefined)
    .map((action) => ({ ...action, disabled: refusalOf(action.op), run: () => begin(action) }));
  useActions(acts);
  return { acts, open, etag, ticket, close: () => setOpen(undefined) };
}
