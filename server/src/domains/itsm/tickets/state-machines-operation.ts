import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { TICKET_KINDS } from "./kind.ts";
import { DeskRead } from "./permissions.ts";
import { ticketKinds } from "./ticket.ts";

const StateMachine = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    initial: Type.String(),
    states: Type.Array(Type.String()),
    ended: Type.Array(Type.String(), { description: "Those in which nothing is left to do" }),
    transitions: Type.Array(
      Type.Object({ action: Type.String(), from: Type.Array(Type.String()), to: Type.String() }),
    ),
  },
  { title: "StateMachine" },
);

export const listStateMachines = query({
  id: "desk.list_state_machines",
  route: "GET /api/v1/itsm/state-machines",
  summary: "The states of each kind of ticket, and what leads from one to another",
  description:
    "The very tables that decide: what is not in them answers 409, with what is allowed.",
  permission: DeskRead,
  response: item(Type.Array(StateMachine)),
  run: async ({ services }) =>
    ticketKinds(services).map(({ kind, machine: { states, finalStates, moves } }) => ({
      kind,
      initial: states[0] ?? "",
      states: [...states],
      ended: [...finalStates],
      transitions: moves.map(({ action, from, to }) => ({ action, from: [...from], to })),
    })),
});
