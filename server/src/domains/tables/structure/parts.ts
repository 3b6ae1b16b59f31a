import type { PathOf } from "./plan-steps.ts";
import type { Step } from "./step.ts";

/** A step, and where its parts stand in what somebody sent: the first beginning of a path that fits counts. */
export interface Part {
  readonly step: Step;
  readonly places: readonly (readonly [within: string, sent: string])[];
}

/** Steps, and where what is wrong with them stands. */
export interface Parts {
  readonly steps: readonly Step[];
  readonly at: PathOf;
}

export function partsOf(parts: readonly Part[]): Parts {
  return {
    steps: parts.map(({ step }) => step),
    at: (index, path) => {
      const places = parts[index]?.places ?? [];
      const [within, sent] = places.find(([start]) => path.startsWith(start)) ?? ["", ""];
      return sent + path.slice(within.length);
    },
  };
}
