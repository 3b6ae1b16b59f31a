/** The transitions of an incident, through actions or a PATCH. Pure functions. */
import {
  invalidTransition,
  nextState,
  transitionBetween,
  type TransitionContext,
  UNRATED,
} from "../tickets/index.ts";
import { Failure, Invalid, invalidField } from "#kernel/operation/failure.ts";
import {
  type Action,
  DEFAULT_RESOLUTION_CODE,
  type Incident,
  incidentMachine,
  isWorse,
  OPEN_STATES,
  type Severity,
  type State,
} from "./incident.ts";

/** The incident after an action. Throws 409 if its state does not allow the action. */
export function applyIncidentTransition(
  incident: Incident,
  action: Action,
  context: TransitionContext,
  fields: Partial<Incident> = {},
): Incident {
  const state = nextState(incidentMachine, incident.state, action);
  const changes = CHANGES[action]?.(incident, context);
  return { ...incident, state, onHoldReason: null, holdUntil: null, ...changes, ...fields };
}

const CHANGES: {
  readonly [A in Action]?: (incident: Incident, context: TransitionContext) => Partial<Incident>;
} = {
  resolve: (_, { at, by }) => ({ resolvedAt: at, resolvedBy: by }),
  close: (_, { at }) => ({ closedAt: at }),
  reopen: ({ reopenCount }) => ({
    resolution: null,
    resolutionCode: null,
    resolvedAt: null,
    resolvedBy: null,
    closedAt: null,
    ...UNRATED,
    reopenCount: reopenCount + 1,
  }),
};

/** The PATCH fields related to the state. */
export interface StateChange {
  readonly state?: State | undefined;
  readonly onHoldReason?: string | null | undefined;
  readonly holdUntil?: string | null | undefined;
  readonly resolution?: string | undefined;
  readonly resolutionCode?: string | undefined;
}

/** The incident after a PATCH of its state, and the equivalent action. */
export function applyStateChange(
  incident: Incident,
  change: StateChange,
  context: TransitionContext,
): { readonly incident: Incident; readonly action?: Action } {
  const { state = incident.state } = change;
  const action =
    state === incident.state
      ? undefined
      : transitionBetween(incidentMachine, incident.state, state);
  const fields =
    action === "resolve" ? requireResolution(change) : rewordResolution(incident, change);
  const next = action
    ? applyIncidentTransition({ ...incident, ...fields }, action, context)
    : { ...incident, ...fields };
  return { incident: { ...next, ...readHold(next, change) }, ...(action && { action }) };
}

/** The hold fields of a change. Only an incident on hold has them. */
function readHold(
  { state }: Incident,
  { onHoldReason, holdUntil }: StateChange,
): Partial<Incident> {
  const fields = {
    ...(onHoldReason !== undefined && { onHoldReason }),
    ...(holdUntil !== undefined && {
      holdUntil: holdUntil === null ? null : new Date(holdUntil).toISOString(),
    }),
  };
  const [name] = Object.keys(fields);
  if (name === undefined || state === "on_hold") return fields;
  throw invalidField(`/${name}`, "is only allowed for incidents on hold");
}

function requireResolution(change: StateChange) {
  const { resolution, resolutionCode = DEFAULT_RESOLUTION_CODE } = change;
  if (resolution === undefined)
    throw invalidField("/resolution", "is required to resolve the incident");
  return { resolution, resolutionCode };
}

/** A changed resolution text. Only a resolved incident has one. */
function rewordResolution(
  incident: Incident,
  { state = incident.state, resolution, resolutionCode }: StateChange,
): Partial<Incident> {
  const fields = {
    ...(resolution !== undefined && { resolution }),
    ...(resolutionCode !== undefined && { resolutionCode }),
  };
  const paths = Object.keys(fields).map((name) => `/${name}`);
  const staysResolved = incident.resolvedAt !== null && state !== "in_progress";
  if (paths.length > 0 && !staysResolved) {
    const message = "is only allowed for resolved incidents";
    throw new Failure(Invalid, {
      detail: `${paths[0]} ${message}`,
      errors: paths.map((path) => ({ path, message })),
    });
  }
  return fields;
}

/** The incident after an escalation. Throws 422 unless the severity increases or the team changes. */
export function applyEscalation(
  incident: Incident,
  to: { readonly severity?: Severity; readonly teamId?: string },
): Incident {
  if (!OPEN_STATES.includes(incident.state)) {
    const detail = `An incident in the state ${incident.state} can't be escalated.`;
    throw invalidTransition(incidentMachine, incident.state, detail);
  }
  const { severity = incident.severity, teamId = incident.teamId } = to;
  if (isWorse(incident.severity, severity)) {
    throw invalidField(
      "/severity",
      `must not be lower than the current severity, ${incident.severity}`,
    );
  }
  if (severity === incident.severity && teamId === incident.teamId) {
    const onlyTeam = to.severity === undefined && to.teamId !== undefined;
    throw onlyTeam
      ? invalidField("/teamId", "must be a different team, or the severity must increase")
      : invalidField("/severity", "must increase, or the team must change");
  }
  return { ...incident, severity, teamId };
}
