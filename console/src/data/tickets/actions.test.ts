import { MACHINES } from "@millrace/client/machines";
import { expect, test } from "vitest";
import { statesOf, type TicketKind } from "./action.ts";
import { actionsFor, TICKET_ACTIONS } from "./actions.ts";

const KINDS = Object.keys(MACHINES) as TicketKind[];

test.each(KINDS)(
  "a %s offers every transition of its state machine in the valid states",
  (kind) => {
    const { actions } = MACHINES[kind];
    for (const [name, { from }] of Object.entries(actions)) {
      const offered = TICKET_ACTIONS[kind].find(
        ({ op, transition }) => (transition ?? op.slice(op.indexOf(".") + 1)) === name,
      );
      expect([name, offered && statesOf(kind, offered)]).toEqual([name, from]);
    }
  },
);

test.each(KINDS)("actions of a %s have unique shortcuts in each state", (kind) => {
  for (const state of MACHINES[kind].states) {
    const keys = actionsFor({ kind, state }).flatMap(({ keys: own }) => own ?? []);
    expect([state, keys.length]).toEqual([state, new Set(keys).size]);
  }
});

test("actions that the server rejects in a state are not offered", () => {
  const idsIn = (kind: TicketKind, state: string) =>
    actionsFor({ kind, state }).map(({ id }) => id);
  expect(idsIn("request", "failed")).toEqual(["retry"]);
  expect(idsIn("request", "approved")).toEqual(["take", "cancel"]);
  expect(idsIn("change", "completed")).toEqual(["rollback"]);
  expect(idsIn("change", "rejected")).toEqual(["take", "revise", "cancel"]);
  expect(idsIn("incident", "closed")).toEqual(["reopen", "split"]);
});
