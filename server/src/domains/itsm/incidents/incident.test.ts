import { describe, expect, test } from "vitest";
import { actionsIn, computePriority, DEFAULT_SETTINGS } from "../tickets/index.ts";
import type { Failure } from "#kernel/operation/failure.ts";
import {
  type Action,
  isAssignment,
  isEscalation,
  type Incident,
  incidentMachine,
  OPEN_STATES,
  type State,
} from "./incident.ts";
import { applyEscalation, applyStateChange, applyIncidentTransition } from "./lifecycle.ts";

const AT = "2026-01-05T09:00:00.000Z";
const moment = { at: AT, by: "usr_agent" };
const resolution = { resolution: "Replaced it", resolutionCode: "solved" } as const;

function incident(change: Partial<Incident> = {}): Incident {
  return {
    id: "inc_1",
    number: "INC0000001",
    title: "No mail",
    description: "",
    state: "new",
    impact: 3,
    urgency: 3,
    priority: 5,
    severity: "medium",
    category: "",
    callerId: "usr_caller",
    assigneeId: null,
    teamId: null,
    ciIds: [],
    isMajor: false,
    parentId: null,
    satisfaction: null,
    satisfactionComment: null,
    ratedAt: null,
    onHoldReason: null,
    holdUntil: null,
    mergedIntoId: null,
    resolution: null,
    resolutionCode: null,
    resolvedAt: null,
    resolvedBy: null,
    closedAt: null,
    reopenCount: 0,
    createdBy: "usr_caller",
    createdAt: AT,
    updatedAt: AT,
    revision: 1,
    ...change,
  };
}

const resolved = applyIncidentTransition(
  incident({ state: "in_progress" }),
  "resolve",
  moment,
  resolution,
);
const closed = applyIncidentTransition(resolved, "close", {
  ...moment,
  at: "2026-01-06T09:00:00.000Z",
});

function failureOf(act: () => unknown): Pick<Failure, "type" | "particulars"> {
  try {
    act();
  } catch (error) {
    return error as Failure;
  }
  throw new Error("It was not refused.");
}

describe("the state machine", () => {
  const TABLE: Record<State, Partial<Record<Action, State>>> = {
    new: { start: "in_progress", hold: "on_hold", resolve: "resolved", cancel: "cancelled" },
    in_progress: { hold: "on_hold", resolve: "resolved", cancel: "cancelled" },
    on_hold: { start: "in_progress", resolve: "resolved", cancel: "cancelled" },
    resolved: { close: "closed", reopen: "in_progress" },
    closed: { reopen: "in_progress" },
    cancelled: {},
  };
  const ACTIONS = ["start", "hold", "close", "reopen", "cancel"] as const;

  test.each(incidentMachine.states)(
    "allows the transitions of the table from %s, and no other",
    (state) => {
      const transitions = TABLE[state];
      expect(actionsIn(incidentMachine, state)).toEqual(Object.keys(transitions));
      for (const action of ACTIONS) {
        const act = () => applyIncidentTransition(incident({ state }), action, moment);
        if (transitions[action] !== undefined) {
          expect(act().state).toBe(transitions[action]);
          continue;
        }
        expect(failureOf(act)).toMatchObject({
          type: { code: "incident_wrong_state", status: 409 },
          particulars: { extra: { state, allowed: Object.keys(transitions) } },
        });
      }
      const resolve = () =>
        applyIncidentTransition(incident({ state }), "resolve", moment, resolution);
      if (transitions.resolve) expect(resolve().state).toBe("resolved");
      else expect(failureOf(resolve).type.code).toBe("incident_wrong_state");
    },
  );

  test("is open in every state that is neither resolved nor final", () => {
    const over = [...incidentMachine.finalStates, "resolved"];
    expect(incidentMachine.states.filter((state) => !over.includes(state))).toEqual(OPEN_STATES);
  });
});

test("a resolution stays on close, and is cleared on reopen", () => {
  expect(closed).toEqual({
    ...incident({ state: "closed" }),
    ...resolution,
    resolvedAt: AT,
    resolvedBy: "usr_agent",
    closedAt: "2026-01-06T09:00:00.000Z",
  });
  for (const from of [resolved, closed]) {
    const again = applyIncidentTransition(from, "reopen", moment);
    expect(again).toEqual(incident({ state: "in_progress", reopenCount: 1 }));
    const twice = applyIncidentTransition(
      applyIncidentTransition(again, "resolve", moment, resolution),
      "reopen",
      moment,
    );
    expect(twice.reopenCount).toBe(2);
  }
});

test("a PATCH of the state performs a transition and accepts state fields", () => {
  const start = applyStateChange(incident(), { state: "in_progress" }, moment);
  expect(start).toEqual({ incident: incident({ state: "in_progress" }), action: "start" });
  const held = applyStateChange(incident(), { state: "on_hold", onHoldReason: "Parts" }, moment);
  expect(held).toMatchObject({ action: "hold", incident: { onHoldReason: "Parts" } });
  const onward = applyStateChange(held.incident, { state: "in_progress" }, moment);
  expect(onward).toEqual({ incident: incident({ state: "in_progress" }), action: "start" });
  expect(applyStateChange(held.incident, { state: "on_hold" }, moment)).toEqual({
    incident: held.incident,
  });
  const solved = applyStateChange(
    incident({ state: "in_progress" }),
    { state: "resolved", ...resolution },
    moment,
  );
  expect(solved).toEqual({ incident: resolved, action: "resolve" });
  expect(applyStateChange(resolved, { resolution: "Better words" }, moment)).toEqual({
    incident: { ...resolved, resolution: "Better words" },
  });
  const words = { state: "closed", resolution: "Better words" } as const;
  expect(applyStateChange(resolved, words, moment)).toMatchObject({
    action: "close",
    incident: { state: "closed", resolution: "Better words", closedAt: AT },
  });
  expect(applyStateChange(closed, { state: "in_progress" }, moment).action).toBe("reopen");
});

test.each([
  [incident(), { state: "resolved" }, "/resolution"],
  [incident(), { resolution: "Done" }, "/resolution"],
  [incident(), { resolutionCode: "other" }, "/resolutionCode"],
  [incident(), { state: "on_hold", resolution: "Done" }, "/resolution"],
  [resolved, { state: "in_progress", resolution: "Done" }, "/resolution"],
  [incident(), { onHoldReason: "Parts" }, "/onHoldReason"],
  [incident({ state: "on_hold" }), { state: "in_progress", onHoldReason: "x" }, "/onHoldReason"],
] as const)(
  "a field that does not belong to the state is a field error: %#",
  (from, change, path) => {
    expect(failureOf(() => applyStateChange(from, change, moment))).toMatchObject({
      type: { status: 422 },
      particulars: { errors: [{ path }] },
    });
  },
);

test("an escalation raises the severity or names another team", () => {
  const medium = incident({ teamId: "tem_a" });
  expect(applyEscalation(medium, { severity: "high" })).toEqual({ ...medium, severity: "high" });
  expect(applyEscalation(medium, { teamId: "tem_b" })).toEqual({ ...medium, teamId: "tem_b" });
  expect(applyEscalation(incident(), { teamId: "tem_b" }).teamId).toBe("tem_b");
  expect(applyEscalation(medium, { severity: "medium", teamId: "tem_b" }).teamId).toBe("tem_b");
  const invalidInputs = [
    [{}, "/severity"],
    [{ severity: "medium" }, "/severity"],
    [{ severity: "low" }, "/severity"],
    [{ severity: "low", teamId: "tem_b" }, "/severity"],
    [{ teamId: "tem_a" }, "/teamId"],
    [{ severity: "medium", teamId: "tem_a" }, "/severity"],
  ] as const;
  for (const [to, path] of invalidInputs) {
    const { particulars } = failureOf(() => applyEscalation(medium, to));
    expect(particulars.errors).toMatchObject([{ path }]);
  }
  for (const over of [resolved, closed, incident({ state: "cancelled" })]) {
    const failure = failureOf(() => applyEscalation(over, { severity: "critical" }));
    expect(failure.type.code).toBe("incident_wrong_state");
  }
});

test("a change that is an escalation or an assignment is recognised", () => {
  const [a, b] = [incident({ teamId: "tem_a" }), incident({ teamId: "tem_b" })];
  expect(isEscalation(a, b)).toBe(true);
  expect(isEscalation(incident(), a)).toBe(false);
  expect(isEscalation(a, incident())).toBe(false);
  expect(isEscalation(a, { ...a, severity: "high" })).toBe(true);
  expect(isEscalation(a, { ...a, severity: "low" })).toBe(false);
  const given = incident({ assigneeId: "usr_a" });
  expect(isAssignment(undefined, given)).toBe(true);
  expect(isAssignment(undefined, incident())).toBe(false);
  expect(isAssignment(given, { ...given, title: "x" })).toBe(false);
  expect(isAssignment(given, incident())).toBe(false);
  expect(isAssignment(given, incident({ assigneeId: "usr_b" }))).toBe(true);
});

test("a priority is impact + urgency − 1 unless the workspace has another matrix", () => {
  for (const impact of [1, 2, 3]) {
    for (const urgency of [1, 2, 3]) {
      expect(computePriority(DEFAULT_SETTINGS, impact, urgency)).toBe(impact + urgency - 1);
    }
  }
});
