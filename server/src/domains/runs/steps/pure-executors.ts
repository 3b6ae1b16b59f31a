/** Executors of computing steps. The command line tests definitions with them without a server. */
import * as types from "#domains/workflows/index.ts";
import { executor } from "./executor.ts";
import { mergeLists } from "./merge-lists.ts";
import { StepFailure } from "./step-error.ts";

const condition = executor({
  type: types.condition,
  async run(_config, { evaluate }) {
    const value = await evaluate("expression");
    const holds = isTrue(value);
    return { output: holds, branch: String(holds) };
  },
});

const switchNode = executor({
  type: types.switchNode,
  async run({ cases }, { evaluate }) {
    const value = await evaluate("expression");
    const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    const branch = cases.map(String).includes(text) ? text : "default";
    return { output: value ?? null, branch };
  },
});

const transform = executor({
  type: types.transform,
  run: async (_config, { evaluate }) => ({ output: (await evaluate("expression")) ?? null }),
});

const set = executor({
  type: types.set,
  run: ({ values }) => ({ output: values }),
});

const loop = executor({
  type: types.loop,
  run: ({ items }) => ({ items }),
});

const repeat = executor({
  type: types.repeat,
  run: ({ max = TURNS_DEFAULT }) => ({ turns: max }),
});

const race = executor({ type: types.race, run: () => ({ turns: 1 }) });

const TURNS_DEFAULT = 100;

/** Ends an iteration: completes the repeat, waits for the next iteration, or fails at the maximum. */
const repeatCheck = executor({
  type: types.repeatCheck,
  async run({ until, everyMs, sinks, ...rest }, { evaluate, scope, path, run, platform }) {
    const { max, as, whenExhausted } = rest;
    const { steps, index } = scope() as {
      readonly steps: Readonly<Record<string, { readonly output?: unknown }>>;
      readonly index: number;
    };
    const ended = sinks.filter((id) => Object.hasOwn(steps, id));
    const state = types.combineOutputs(ended.map((id) => [id, steps[id]?.output]));
    // The output of the iteration is the state of the next one, and the condition evaluates it.
    const done = until === undefined ? false : isTrue(await evaluate("until", { [as]: state }));
    if (done) return { output: { done, state } };
    if (index + 1 >= max) {
      if (until === undefined || whenExhausted === "continue") return { output: { done, state } };
      const loop = path.slice(0, path.lastIndexOf("["));
      throw new StepFailure("repeat_exhausted", `${loop} did not end within ${max} iterations.`, {
        retryable: false,
      });
    }
    const pauseMs = Number(everyMs ?? 0);
    if (!(pauseMs > 0) || run.test) return { output: { done, state } };
    const untilMs = platform.clock.nowMs() + Math.min(pauseMs, types.DURATION_MS_MAX);
    return { wait: { kind: "delay", untilMs, output: { done, state } } };
  },
});

const merge = executor({
  type: types.merge,
  run: (config) => ({ output: mergeLists(config) }),
});

const respond = executor({
  type: types.respond,
  run({ status = 200, headers = {}, body = null, file }, { files, run }) {
    if (file === undefined) return { output: { status, headers, body } };
    // A test run sends no response, and its files are mocks.
    if (run.test) return { output: { status, headers, body, file } };
    // The run must be able to read the file that it returns.
    return files.open(file, "/file").then(({ file: { id, name, mediaType, size } }) => ({
      output: { status, headers, body, file: { $file: id, name, mediaType, size } },
    }));
  },
});

const fail = executor({
  type: types.fail,
  run({ message, code = "failed_by_design" }) {
    throw new StepFailure(code, message, { retryable: false });
  },
});

/** Same semantics as `$boolean` of JSONata. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Steps that execution plans add. */
export const plannedExecutors = [repeatCheck];

/** The executors of computing steps, for use with or without a server. */
export const pureExecutors = [
  set,
  condition,
  switchNode,
  transform,
  loop,
  repeat,
  race,
  merge,
  respond,
  fail,
];
