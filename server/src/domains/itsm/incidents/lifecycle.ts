/** What becomes of an incident when it goes from state to state; pure. */
import { transitionBetween, nextState, invalidTransition } from "../tickets/index.ts";
import { Failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import {
  type Action,
  type Incident,
  incidentMachine,
  isWorse,
  OPEN_STATES,
  type Severity,
  type State,
  DEFAULT_RESOLUTION_CODE,
} from "./incident.ts";

/** When it happens, and who does it. */
export interface TransitionContext {
  readonly at: string;
  readonly by: string;
}

/** How it was resolved. */
export interface TransitionResult {
  readonly resolution: string;
  readonly resolutionCode: string;
}

/** The incident after an action; throws a 409 where its state does not have it. */
export function applyTransition(
  incident: Incident,
  action: Exclude<Action, "resolve">,
  moment: TransitionContext,
): Incident {
  return { ...stepped(incident, action), ...ADDITIONS[action]?.(incident, moment) };
}

/** The incident once it is resolved; throws a 409 where it can't be. */
export function resolvedBy(
  incident: Incident,
  outcome: TransitionResult,
  { at, by }: TransitionContext,
): Incident {
  return { ...stepped(incident, "resolve"), ...outcome, resolvedAt: at, resolvedBy: by };
}

function stepped(incident: Incident, action: Action): Incident {
  const state = nextState(incidentMachine, incident.state, action);
  return { ...incident, state, onHoldReason: null };
}

const ADDITIONS: {
  readonly [A in Action]?: (incident: Incident, moment: TransitionContext) => Partial<Incident>;
} = {
  close: (_, { at }) => ({ closedAt: at }),
  reopen: ({ reopenCount }) => ({
    resolution: null,
    resolutionCode: null,
    resolvedAt: null,
    resolvedBy: null,
    closedAt: null,
    reopenCount: reopenCount + 1,
  }),
};

/** The part of a PATCH that has to do with the state. */
export interface StateChange {
  readonly state?: State | undefined;
  readonly onHoldReason?: string | null | undefined;
  readonly resolution?: string | undefined;
  readonly resolutionCode?: string | undefined;
}

/** What a change of the state makes of an incident, and the action that it is, if any. */
export function restated(
  incident: Incident,
  change: StateChange,
  moment: TransitionContext,
): { readonly incident: Incident; readonly action?: Action } {
  const { state = incident.state } = change;
  const action =
    state === incident.state
      ? undefined
      : transitionBetween(incidentMachine, incident.state, state);
  const next =
    action === "resolve" ? resolvedWith(incident, change, moment) : kept(incident, change);
  const moving = action !== undefined && action !== "resolve";
  const there = moving ? { ...applyTransition(next, action, moment) } : next;
  const { onHoldReason } = change;
  if (onHoldReason !== undefined && there.state !== "on_hold") {
    throw invalidField("/onHoldReason", "belongs to an incident that is on hold");
  }
  const held = onHoldReason === undefined ? there : { ...there, onHoldReason };
  return { incident: held, ...(action && { action }) };
}

function resolvedWith(
  incident: Incident,
  change: StateChange,
  moment: TransitionContext,
): Incident {
  const { resolution, resolutionCode = DEFAULT_RESOLUTION_CODE } = change;
  if (resolution === undefined) throw invalidField("/resolution", "is needed to resolve it");
  return resolvedBy(incident, { resolution, resolutionCode }, moment);
}

/** With another wording of its resolution, which only a resolved incident has. */
function kept(incident: Incident, { state, resolution, resolutionCode }: StateChange): Incident {
  const given = [
    ...(resolution === undefined ? [] : ["/resolution"]),
    ...(resolutionCode === undefined ? [] : ["/resolutionCode"]),
  ];
  const stays = incident.resolvedAt !== null && (state ?? incident.state) !== "in_progress";
  if (given.length > 0 && !stays) {
    const message = "belongs to an incident that is resolved";
    throw new Failure(Invalid, {
      detail: `${given[0]} ${message}`,
      errors: given.map((path) => ({ path, message })),
    });
  }
  return {
    ...incident,
    ...(resolution !== undefined && { resolution }),
    ...(resolutionCode !== undefined && { resolutionCode }),
  };
}

/** Throws a 409 unless somebody still has to work on it. */
export function assertOpen({ state }: Incident, what: string): void {
  if (!OPEN_STATES.includes(state)) {
    throw invalidTransition(incidentMachine, state, `In the state ${state} there is no ${what}.`);
  }
}

/** The incident once it is escalated; throws a 422 unless it gets worse or goes to another team. */
export function escalated(
  incident: Incident,
  to: { readonly severity?: Severity; readonly teamId?: string },
): Incident {
  assertOpen(incident, "escalate");
  const { severity = incident.severity, teamId = incident.teamId } = to;
  if (isWorse(incident.severity, severity)) {
    throw invalidField("/severity", `must not be lower than ${incident.severity}, which it is`);
  }
  if (severity === incident.severity && teamId === incident.teamId) {
    const onlyTeam = to.severity === undefined && to.teamId !== undefined;
    throw onlyTeam
      ? invalidField("/teamId", "must name another team, or the severity must be raised")
      : invalidField("/severity", "must be raised, or another team must be named");
  }
  return { ...incident, severity, teamId };
}
