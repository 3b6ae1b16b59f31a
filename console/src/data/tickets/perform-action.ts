import { call, type Input, type OperationId } from "../api.ts";
import { applyChange, isConflict } from "../change.ts";
import type { ActionTicket, TicketAction, UndoRequest } from "./action.ts";

type Values = Readonly<Record<string, unknown>>;

/** Calls an operation on a ticket of any kind; the inputs differ only in the body. */
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

export const undoRequest = (id: string, { op, body }: UndoRequest): Promise<unknown> =>
  sendTo(op, id, body);

/** Performs an action without a form. Resolves to false if another user changed the ticket first. */
export async function performAction(
  action: TicketAction,
  ticket: ActionTicket & { readonly id: string; readonly number: string },
  etag: string | undefined,
  show?: () => () => void,
): Promise<boolean> {
  const { op, body, said } = action;
  const { id, number } = ticket;
  const undo = action.undo?.(ticket);
  let wasConflict = false;
  await applyChange({
    ...(show && { show }),
    send: async () => {
      try {
        await sendTo(op, id, body, etag);
      } catch (error) {
        wasConflict = isConflict(error);
        throw error;
      }
    },
    said: `${number} ${said}`,
    ...(undo && { undo: () => undoRequest(id, undo) }),
  });
  return !wasConflict;
}
