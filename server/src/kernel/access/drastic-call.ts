/**
 * Determines the effect of a call: drastic calls by agents wait for a user. A command declares its effect next
 * to its route. Deletions and changes of credentials are drastic without a declaration.
 */
import type { Operation, Platform } from "../contract.ts";
import type { RawInput } from "../operation/invocation.ts";
import { validateInput } from "../operation/execution/compiled-operation.ts";
import type { CallEffect } from "./call-effect.ts";
import type { Caller } from "./caller.ts";

/** Event types of deletions and endings, independent of the command's name. */
const DRASTIC_EVENT = /\.(?:archived|deactivated|deleted|dropped|purged|retired|revoked)$/;

/** The declared effect of a command, or the effect implied by its route and events. Undefined if neither is known. */
export function declaredEffect(op: Operation): Operation["effect"] {
  if (op.kind === "query") return "ordinary";
  if (op.effect) return op.effect;
  if (op.issuesCredential || op.ownersInPerson || op.operatorsOnly) return "drastic";
  if (op.route.startsWith("DELETE ")) return "drastic";
  if (op.emits.some(({ type }) => DRASTIC_EVENT.test(type))) return "drastic";
  return op.ephemeral ? "ordinary" : undefined;
}

/** A call to be classified. The environment is taken from the caller. */
export interface EffectCall {
  readonly caller: Caller;
  readonly input: RawInput;
}

/** True if this call is drastic. Throws the failure if the command rejects the input anyway. */
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

/** True if a call of the command can be drastic in that environment. */
export function mayBeDrastic(op: Operation, environment: string): boolean {
  const declared = declaredEffect(op);
  return typeof declared === "function" || isDrasticEffect(declared, environment);
}

/** Undeclared commands count as drastic. */
function isDrasticEffect(effect: CallEffect | undefined, environment: string): boolean {
  return effect === "live" ? environment === "production" : effect !== "ordinary";
}
