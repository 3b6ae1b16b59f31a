import { ALERT_RULE_KIND } from "@millrace/client/enums";
import { choicesOf } from "../ui/form/choices.ts";
import type { Schemas } from "../data/api.ts";

export type Rule = Schemas["AlertRule"];

export const STATE_WORDS = { firing: "Firing", ok: "OK", unknown: "Unknown" } as const;

export const RULE_KINDS = choicesOf(ALERT_RULE_KIND, {
  above: "is above",
  below: "is below",
  no_data: "has no data",
  unusual: "is unusual compared with the last eight weeks",
});

/** Describes a rule in one sentence. */
export function ruleWords({ kind, threshold, checks = 1 }: Rule): string {
  const words = RULE_KINDS.find(([id]) => id === kind)?.[1] ?? kind;
  const limit = threshold === undefined ? "" : ` ${threshold.toLocaleString("en")}`;
  const often = checks > 1 ? ` for ${checks} checks in a row` : "";
  return `Fires when the value ${words}${limit}${often}`;
}
