import type { Domain } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { type StateMachine, TicketKindPoint } from "./domains/itsm/tickets/index.ts";

/** The state machines of all ticket kinds, for the generated client. */
export function listMachines(domains: readonly Domain[]): readonly StateMachine[] {
  const contributions = domains.flatMap((domain) => domain.contributions ?? []);
  return contributionsTo(TicketKindPoint, contributions).map(({ machine }) => machine);
}
