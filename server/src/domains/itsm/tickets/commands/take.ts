import type { TObject } from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Operation, WriteContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { article, type TicketKind } from "../kind.ts";
import { invalidTransition } from "../state-machine.ts";
import type { TicketCommands } from "./ticket-commands.ts";

export const TicketTaken = failure(
  "ticket_taken",
  409,
  "The ticket is already assigned to another member.",
);

interface Takeable {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly assigneeId: string | null;
  readonly updatedAt: string;
  readonly revision: number;
}

/** Declares how a caller takes an unassigned ticket. Only one of two concurrent callers succeeds. */
export function takeCommand<T extends Takeable, Data, E extends EventType>(
  { kind, machine }: Pick<TicketKind, "kind" | "machine">,
  commands: TicketCommands<T, never, Data>,
  {
    emits,
    assign,
  }: {
    readonly emits: readonly E[];
    readonly assign: (ctx: WriteContext<E>, ticket: T, assigneeId: string) => Promise<T>;
  },
): Operation {
  return commands.command<E, TObject<{}>>("take", {
    effect: "ordinary",
    summary: `Assign ${article(kind)} to me`,
    description:
      "If it is assigned to another member, the response is 409 `ticket_taken` with their id in `assigneeId`. If it is already assigned to you, nothing changes.",
    emits,
    allowNoop: true,
    states: machine.states.filter((state) => !machine.finalStates.includes(state)),
    fails: [TicketTaken, machine.wrongState],
    async run(ctx, ticket) {
      const userId = authorOf(ctx.caller);
      const { assigneeId, state } = ticket;
      if (assigneeId === userId) return ticket;
      if (assigneeId !== null) throw new Failure(TicketTaken, { extra: { assigneeId } });
      if (machine.finalStates.includes(state)) {
        throw invalidTransition(
          machine,
          state,
          `A ticket in the state ${state} can't be assigned.`,
        );
      }
      return assign(ctx, ticket, userId);
    },
  });
}
