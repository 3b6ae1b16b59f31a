import { Failure, failure, type FailureType } from "#kernel/operation/failure.ts";

/** One way from state to state. */
export interface Transition<State extends string = string, Action extends string = string> {
  readonly action: Action;
  readonly from: readonly State[];
  readonly to: State;
}

/** How a kind of ticket lives: one table, which every operation that changes a state asks. */
export interface StateMachine<State extends string = string, Action extends string = string> {
  /** The kind of ticket, such as `incident`. */
  readonly kind: string;
  /** The first is the one that a ticket begins in. */
  readonly states: readonly State[];
  /** Those in which nothing is left to do. */
  readonly finalStates: readonly State[];
  readonly moves: readonly Transition<State, Action>[];
  readonly refusal: FailureType;
}

/** Declares a machine. Its refusal has the code `<kind>_wrong_state`. */
export function stateMachine<const State extends string, const Action extends string>(
  about: Omit<StateMachine<State, Action>, "refusal">,
): StateMachine<State, Action> {
  const title = `The state of the ${about.kind} does not allow that.`;
  return { ...about, refusal: failure(`${about.kind}_wrong_state`, 409, title) };
}

/** Where an action leads from a state; throws a 409 that names the allowed ones where it leads nowhere. */
export function nextState<State extends string, Action extends string>(
  of: StateMachine<State, Action>,
  state: State,
  action: Action,
): State {
  const move = of.moves.find((one) => one.action === action && one.from.includes(state));
  if (move) return move.to;
  throw invalidTransition(of, state, `In the state ${state} there is no ${action}.`);
}

/** The action that leads from one state to another; throws the same 409 where none does. */
export function transitionBetween<State extends string, Action extends string>(
  of: StateMachine<State, Action>,
  from: State,
  to: State,
): Action {
  const move = of.moves.find((one) => one.to === to && one.from.includes(from));
  if (move) return move.action;
  throw invalidTransition(of, from, `There is no way from ${from} to ${to}.`);
}

/** What may be done in a state. */
export function actionsIn<State extends string, Action extends string>(
  of: StateMachine<State, Action>,
  state: State,
): readonly Action[] {
  const names = of.moves.filter(({ from }) => from.includes(state)).map(({ action }) => action);
  return [...new Set(names)];
}

/** The refusal, with what would be allowed instead. */
export function invalidTransition<State extends string>(
  of: StateMachine<State>,
  state: State,
  detail: string,
): Failure {
  const allowed = actionsIn(of, state);
  const instead =
    allowed.length === 0 ? "Nothing is allowed there." : `Allowed: ${allowed.join(", ")}.`;
  return new Failure(of.refusal, { detail: `${detail} ${instead}`, extra: { state, allowed } });
}
