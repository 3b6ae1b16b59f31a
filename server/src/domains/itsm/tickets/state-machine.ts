import { Failure, failure, type FailureType } from "#kernel/operation/failure.ts";

/** A transition: an action, the states that allow it, and its target state. */
export interface Transition<State extends string = string, Action extends string = string> {
  readonly action: Action;
  readonly from: readonly State[];
  readonly to: State;
  /** Performed by the platform as part of another action; not available to users. */
  readonly automatic?: true;
}

/** The states of a ticket kind. All operations that change a state use this table. */
export interface StateMachine<State extends string = string, Action extends string = string> {
  /** The kind of ticket, such as `incident`. */
  readonly kind: string;
  /** The first state is the initial state. */
  readonly states: readonly State[];
  /** States in which no work is left. */
  readonly finalStates: readonly State[];
  readonly transitions: readonly Transition<State, Action>[];
  /** Thrown if the state does not allow the action. */
  readonly wrongState: FailureType;
}

/** The time and the actor of a transition. */
export interface TransitionContext {
  readonly at: string;
  readonly by: string;
}

/** Declares a state machine. An invalid action fails with `<kind>_wrong_state`. */
export function stateMachine<const State extends string, const Action extends string>(
  declaration: Omit<StateMachine<State, Action>, "wrongState">,
): StateMachine<State, Action> {
  const title = `The state of the ${declaration.kind} does not allow this action.`;
  return { ...declaration, wrongState: failure(`${declaration.kind}_wrong_state`, 409, title) };
}

/** The target state of an action. Throws 409 with the allowed actions if it is invalid. */
export function nextState<State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  state: State,
  action: Action,
): State {
  const transition = machine.transitions.find(
    (candidate) => candidate.action === action && candidate.from.includes(state),
  );
  if (transition) return transition.to;
  throw invalidTransition(
    machine,
    state,
    `In the state ${state}, the action ${action} is not allowed.`,
  );
}

/** The action between two states. Throws 409 with the allowed states if none exists. */
export function transitionBetween<State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  from: State,
  to: State,
): Action {
  const transition = machine.transitions.find(
    ({ to: end, from: begins, automatic }) => end === to && begins.includes(from) && !automatic,
  );
  if (transition) return transition.action;
  const states = machine.transitions
    .filter((candidate) => candidate.from.includes(from) && !candidate.automatic)
    .map((candidate) => candidate.to);
  const detail = `A transition from ${from} to ${to} is not allowed.`;
  throw invalidTransition(machine, from, detail, [...new Set(states)]);
}

/** The states that allow an action; undefined for an unknown action. */
export const statesWith = (machine: StateMachine, name: string): readonly string[] | undefined =>
  machine.transitions.find(({ action }) => action === name)?.from;

/** The actions that users can perform in a state. */
export function actionsIn<State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  state: State,
): readonly Action[] {
  const actions = machine.transitions
    .filter(({ from, automatic }) => from.includes(state) && !automatic)
    .map(({ action }) => action);
  return [...new Set(actions)];
}

/** The failure of an invalid transition, with the allowed actions, or states if given. */
export function invalidTransition<State extends string>(
  machine: StateMachine<State>,
  state: State,
  detail: string,
  allowed: readonly string[] = actionsIn(machine, state),
): Failure {
  const instead =
    allowed.length === 0
      ? "No action is allowed in this state."
      : `Allowed: ${allowed.join(", ")}.`;
  const extra = { state, allowed };
  return new Failure(machine.wrongState, { detail: `${detail} ${instead}`, extra });
}
