/**
 * The effect of a call: an agent's drastic calls wait for a person. A command declares its effect beside its route;
 * deletions and credentials are drastic without a declaration.
 */
import type { Operation, Platform } from "../contract.ts";
import type { RawInput } from "../operation/invocation.ts";
import { validateInput } from "../operation/execution/compiled-operation.ts";
import type { CallEffect } from "./call-effect.ts";
import type { Caller } from "./caller.ts";

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
      ? await declared(platform, validateInput(op, input) as never, caller)
      : declared;
  return isDrasticEffect(effect, caller.environment);
}

/** True where some call of the command in that environment is drastic. */
export function mayBeDrastic(op: Operation, environment: string): boolean {
  const declared = declaredEffect(op);
  return typeof declared === "function" || isDrasticEffect(declared, environment);
}

/** A command without a declaration is drastic. */
function isDrasticEffect(effect: CallEffect | undefined, environment: string): boolean {
  return effect === "live" ? environment === "production" : effect !== "ordinary";
}
