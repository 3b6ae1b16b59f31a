/**
 * What a call of a command does, for callers that may do the ordinary alone: an agent's drastic calls wait for a
 * person. A command declares its effect beside its route. Only what is drastic on its face is derived.
 */
import type { Caller } from "../access/caller.ts";
import type { Operation, Platform } from "../contract.ts";
import type { RawInput } from "./invocation.ts";
import { validateInput } from "./perform.ts";

/**
 * - `ordinary`: daily work that a person can correct.
 * - `live`: it changes what runs in the environment of the call, so that it is drastic in production.
 * - `drastic`: it deletes, ends or decides something, changes many things at once, becomes active at once, gives
 *   access to the public, or changes permissions or credentials.
 */
export type Effect = "ordinary" | "live" | "drastic";

/** Tells the effect of a command whose calls differ, by their input or by what they change. */
export type EffectRule<Input> = (
  input: Input,
  context: { readonly platform: Platform; readonly caller: Caller },
) => Promise<Effect>;

/** The events of a deletion or an end, whatever the command is called. */
const DRASTIC_EVENT = /\.(?:archived|deactivated|deleted|dropped|purged|retired|revoked)$/;

/** The effect that a command declares, or that follows from its route and events; undefined where neither says it. */
export function declaredEffect(op: Operation): Operation["effect"] {
  if (op.kind === "query") return "ordinary";
  if (op.effect) return op.effect;
  if (op.issuesCredential || op.ownersInPerson || op.operatorsOnly) return "drastic";
  if (op.route.startsWith("DELETE ")) return "drastic";
  if (op.emits.some(({ type }) => DRASTIC_EVENT.test(type))) return "drastic";
  return op.ephemeral ? "ordinary" : undefined;
}

/** A call whose effect is asked for; its environment is the caller's. */
export interface EffectCall {
  readonly caller: Caller;
  readonly input: RawInput;
}

/** True where this very call is drastic. Throws the failure of an input that the command refuses anyhow. */
export async function isDrastic(
  platform: Platform,
  op: Operation,
  { caller, input }: EffectCall,
): Promise<boolean> {
  const declared = declaredEffect(op);
  const effect =
    typeof declared === "function"
      ? await declared(validateInput(op, input) as never, { platform, caller })
      : declared;
  return isDrasticEffect(effect, caller.environment);
}

/** True where some call of the command in that environment is drastic. */
export function mayBeDrastic(op: Operation, environment: string): boolean {
  const declared = declaredEffect(op);
  return typeof declared === "function" || isDrasticEffect(declared, environment);
}

/** What nobody has declared is drastic. */
function isDrasticEffect(effect: Effect | undefined, environment: string): boolean {
  return effect === "live" ? environment === "production" : effect !== "ordinary";
}
