import { call, type Input, type OperationId } from "../api.ts";
import { isConflict } from "../change.ts";
import { perform } from "../use-command.ts";
import type { ActionTicket, TicketAction, UndoRequest } from "./action.ts";

type Values = Readonly<Record<string, unknown>>;

/** The input of an operation on a ticket of any kind; the inputs differ only in the body. */
function inputOf(id: string, body: Values | undefined): Input<OperationId> {
  const hasBody = body !== undefined && Object.keys(body).length > 0;
  return { params: { id }, ...(hasBody && { body }) } as unknown as Input<OperationId>;
}

export const sendTo = (op: OperationId, id: string, body: Values): Promise<unknown> =>
  call(op, inputOf(id, body));

export const undoRequest = (id: string, { op, body }: UndoRequest): Promise<unknown> =>
  sendTo(op, id, body);

/** Performs an action without a form. Resolves to false if another user changed the ticket first. */
export async function performAction(
  { op, body, said, undo }: TicketAction,
  ticket: ActionTicket & { readonly id: string; readonly number: string },
  etag: string | undefined,
  show?: () => () => void,
): Promise<boolean> {
  const { id, number } = ticket;
  const back = undo?.(ticket);
  let isFirst = true;
  await perform(op, inputOf(id, body), {
    show,
    ifMatch: etag,
    said: `${number} ${said}`,
    ...(back && { undo: () => undoRequest(id, back) }),
    onRefused: (error) => {
      isFirst = !isConflict(error);
      return false;
    },
  });
  return isFirst;
}
