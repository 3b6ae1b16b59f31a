import { Failure, failure, type FailureType } from "#kernel/operation/failure.ts";

/** A transition: an action, the states that allow it, and the state that it leads to. */
export interface Transition<State extends string = string, Action extends string = string> {
  readonly action: Action;
  readonly from: readonly State[];
  readonly to: State;
  /** Performed by the platform as part of something else; nobody can ask for it. */
  readonly automatic?: true;
}

/** The states of a kind of ticket: one table, which every operation that changes a state asks. */
export interface StateMachine<State extends string = string, Action extends string = string> {
  /** The kind of ticket, such as `incident`. */
  readonly kind: string;
  /** The first is the one that a ticket begins in. */
  readonly states: readonly State[];
  /** Those in which nothing is left to do. */
  readonly finalStates: readonly State[];
  readonly transitions: readonly Transition<State, Action>[];
  /** Thrown where the state does not have the action. */
  readonly wrongState: FailureType;
}

/** When a transition happens, and who performs it. */
export interface TransitionContext {
  readonly at: string;
  readonly by: string;
}

/** Declares a machine. The failure of an action that its state does not have is `<kind>_wrong_state`. */
export function stateMachine<const State extends string, const Action extends string>(
  declaration: Omit<StateMachine<State, Action>, "wrongState">,
): StateMachine<State, Action> {
  const title = `The state of the ${declaration.kind} does not allow this action.`;
  return { ...declaration, wrongState: failure(`${declaration.kind}_wrong_state`, 409, title) };
}

/** The state that an action leads to; throws a 409 that names the allowed actions where it leads nowhere. */
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

/** The action that leads from one state to another; throws a 409 that names the allowed states where none does. */
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

/** The states in which a machine has an action of this name; nothing where it has none. */
export const statesWith = (machine: StateMachine, name: string): readonly string[] | undefined =>
  machine.transitions.find(({ action }) => action === name)?.from;

/** The actions that a state allows people to ask for. */
export function actionsIn<State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  state: State,
): readonly Action[] {
  const actions = machine.transitions
    .filter(({ from, automatic }) => from.includes(state) && !automatic)
    .map(({ action }) => action);
  return [...new Set(actions)];
}

/** The failure of a transition, with what could be asked for instead: actions, unless states are given. */
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
