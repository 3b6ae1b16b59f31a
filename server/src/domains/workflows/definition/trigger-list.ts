import type { Definition } from "./definition.ts";
import type { Trigger } from "./trigger.ts";

/** The default id of the first trigger. */
export const FIRST_TRIGGER_ID = "trigger";

/** A trigger and its id. */
export interface NamedTrigger<T extends Trigger = Trigger> {
  readonly id: string;
  readonly trigger: T;
  /** True for the first trigger, which each workflow has. */
  readonly first: boolean;
}

type Triggers = Pick<Definition, "trigger" | "triggers">;

/** Lists the triggers of a definition. The first one is the main trigger. */
export function listTriggers({ trigger, triggers = [] }: Triggers): NamedTrigger[] {
  return [
    { id: trigger.id ?? FIRST_TRIGGER_ID, trigger, first: true },
    ...triggers.map((other, index) => ({
      // A checked trigger has an id.
      id: other.id ?? `trigger-${index + 2}`,
      trigger: other,
      first: false,
    })),
  ];
}

export function triggersOfType<K extends Trigger["type"]>(
  definition: Triggers,
  type: K,
): NamedTrigger<Extract<Trigger, { type: K }>>[] {
  return listTriggers(definition).filter(
    (named): named is NamedTrigger<Extract<Trigger, { type: K }>> => named.trigger.type === type,
  );
}

/** The trigger with this id. For manual runs the manual trigger, or the first trigger. */
export function findTrigger(definition: Triggers, id?: string): NamedTrigger | undefined {
  const all = listTriggers(definition);
  if (id !== undefined) return all.find((named) => named.id === id);
  return all.find(({ trigger }) => trigger.type === "manual") ?? all[0];
}

/** The part of `trigger` in expressions that names the trigger. Omitted for a single trigger. */
export function triggerName({ trigger, triggers }: Triggers, id: string): { readonly id?: string } {
  return triggers === undefined && trigger.id === undefined ? {} : { id };
}
