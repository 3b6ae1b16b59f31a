import type { StepError } from "#domains/workflows/index.ts";
import { JSON_DEPTH_MAX, sizeProblem } from "#kernel/schema/json-value.ts";

/** Why a value can't be kept, if it can't: it is too large, or nests too deeply. */
export function outputSizeError(value: unknown): StepError | undefined {
  switch (sizeProblem(value)) {
    case "deep":
      return {
        code: "output_too_deep",
        message: `The output nests more than ${JSON_DEPTH_MAX} levels deep.`,
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
