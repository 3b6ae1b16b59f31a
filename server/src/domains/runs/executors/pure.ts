import * as types from "#domains/workflows/index.ts";
import { executor, StepFailure } from "../engine/executor.ts";

export const condition = executor({
  type: types.condition,
  async run(_config, { evaluate }) {
    const value = await evaluate("expression");
    const holds = isTrue(value);
    return { output: holds, branch: String(holds) };
  },
});

export const switchNode = executor({
  type: types.switchNode,
  async run({ cases }, { evaluate }) {
    const value = await evaluate("expression");
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const branch = cases.map(String).includes(text) ? text : "default";
    return { output: value ?? null, branch };
  },
});

export const transform = executor({
  type: types.transform,
  run: async (_config, { evaluate }) => ({ output: (await evaluate("expression")) ?? null }),
});

export const set = executor({
  type: types.set,
  run: ({ values }) => ({ output: values }),
});

export const loop = executor({
  type: types.loop,
  run: ({ items }) => ({ items }),
});

export const respond = executor({
  type: types.respond,
  run: ({ status = 200, headers = {}, body = null }) => ({ output: { status, headers, body } }),
});

export const fail = executor({
  type: types.fail,
  run({ message }) {
    throw new StepFailure("failed_by_design", message, { retryable: false });
  },
});

/** As JSONata's own `$boolean` has it. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
