import type { TicketKind } from "../../tickets/kind.ts";

/** `an incident`, `a change`. */
export function article(name: string): string {
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

/** A reference for examples. */
export function exampleRef({ prefix }: TicketKind): string {
  return `${prefix}_01jzt3n5k8q2x4v6w8y0z2b4d6`;
}
