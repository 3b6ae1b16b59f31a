import type { StepError } from "#domains/workflows/index.ts";
import { DEPTH_MAX, excessOf } from "#kernel/schema/json-value.ts";

/** Why a value can't be kept, if it can't: it is too large, or nests too deeply. */
export function faultOfSize(value: unknown): StepError | undefined {
  switch (excessOf(value)) {
    case "deep":
      return {
        code: "output_too_deep",
        message: `The output nests more than ${DEPTH_MAX} levels deep.`,
        retryable: false,
      };
    case "large":
      return {
        code: "output_too_large",
        message: "The output is larger than 1 MiB.",
        retryable: false,
      };
    case undefined:
      return undefined;
  }
}
