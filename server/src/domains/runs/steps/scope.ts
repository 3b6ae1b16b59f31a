import {
  CALLS_ID,
  type Config,
  parsePath,
  REPEAT_CHECK_ID,
  TURN_ID,
} from "#domains/workflows/index.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import type { ResumeAddresses } from "../calls/resume-address.ts";
import type { GivenValues, RunContext, WorkspaceFacts } from "../engine/run-context.ts";
import type { JournalRecord } from "../engine/journal-record.ts";

type Outputs = Record<string, Pick<JournalRecord, "output" | "error" | "page">>;

/** The facts about a run that expressions see. */
export type ScopedRun = Pick<
  RunContext,
  "id" | "createdAt" | "workspace" | "environment" | "workflowId" | "versionId" | "trigger" | "test"
>;

/** The outputs of one agent iteration: the model message and the results of its tool calls. */
interface AgentTurnOutputs {
  readonly turn: unknown;
  readonly results: unknown;
}

/** An agent as seen by its steps. */
export interface AgentHistory {
  /** The configuration with templates evaluated at the start. */
  readonly config: Config;
  readonly startedAt: string | undefined;
  /** The iteration of the step; counts from 0. */
  readonly turn: number;
  /** The iterations up to the current one. */
  readonly turns: readonly AgentTurnOutputs[];
}

/** Values that only some steps need. */
interface ScopeExtras {
  readonly workspace?: WorkspaceFacts | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly secrets?: ReadonlyMap<string, string> | undefined;
}

/** The values that expressions see. Updated as steps end, because rebuilding it is expensive. */
export class Scope {
  readonly #common: Readonly<Record<string, unknown>>;
  readonly #outputs: Outputs = {};
  /** Keyed by the iteration's path prefix. */
  readonly #iterationOutputs = new Map<string, Outputs>();
  readonly #items = new Map<string, { readonly as: string; readonly items: readonly unknown[] }>();
  /** The initial state, by the repeat's path. */
  readonly #states = new Map<string, { readonly as: string; readonly state: unknown }>();

  /** The paths of races. Steps in a race see the surrounding scope. */
  readonly #races = new Set<string>();

  /** The configuration at the start, by the agent's path. */
  readonly #agents = new Map<string, Pick<AgentHistory, "config" | "startedAt">>();

  /** Values of other steps when testing a single step. */
  readonly #given: GivenValues | undefined;

  /** Addresses of steps that wait for calls, if the run has such steps. */
  readonly #addresses: ResumeAddresses | undefined;

  constructor(run: ScopedRun, addresses?: ResumeAddresses) {
    this.#addresses = addresses;
    const { id, createdAt, workspace, environment, workflowId, versionId, trigger, test } = run;
    this.#given = test?.given;
    this.#common = {
      trigger,
      run: { id, createdAt, workflowId, versionId },
      workspace: { id: workspaceIdOf(workspace) },
      environment,
    };
  }

  /** Adds the output of an ended step. */
  add({ path, node, status, output, error, page }: JournalRecord): void {
    if (status !== "completed" && status !== "failed") return;
    const prefix = path.slice(0, path.length - node.length);
    const entry = { output: output ?? null, ...(error && { error }), ...(page && { page }) };
    if (prefix === "") this.#outputs[node] = entry;
    else {
      const iterationOutputs = this.#iterationOutputs.get(prefix) ?? {};
      iterationOutputs[node] = entry;
      this.#iterationOutputs.set(prefix, iterationOutputs);
    }
  }

  /** Adds the items of a loop and the item name used in its body. */
  addItems(path: string, as: string, items: readonly unknown[]): void {
    this.#items.set(path, { as, items });
  }

  addRace(path: string): void {
    this.#races.add(path);
  }

  /** Adds the configuration of an agent at its start. */
  addAgent(path: string, config: Config, startedAt: string | undefined): void {
    this.#agents.set(path, { config, startedAt });
  }

  /** Returns the agent containing a step, with the iteration outputs so far. */
  agentAt(path: string): AgentHistory | undefined {
    const around = parsePath(path).iterations.findLast((one) => this.#agents.has(one.path));
    const known = around && this.#agents.get(around.path);
    if (!known) return undefined;
    const turns = Array.from({ length: around.index + 1 }, (_, index) =>
      this.#outputsOfTurn(around.path, index),
    );
    return { ...known, turn: around.index, turns };
  }

  #outputsOfTurn(agent: string, index: number): AgentTurnOutputs {
    const outputs = this.#iterationOutputs.get(`${agent}[${index}].`);
    return { turn: outputs?.[TURN_ID]?.output, results: outputs?.[CALLS_ID]?.output };
  }

  /** Adds the initial state of a repeat and the state name used in its body. */
  addState(path: string, as: string, state: unknown): void {
    this.#states.set(path, { as, state });
  }

  /** The values visible to the step at this path: outputs in the surrounding scopes, and current loop items. */
  at(
    path: string,
    { workspace, variables, secrets }: ScopeExtras = {},
  ): Readonly<Record<string, unknown>> {
    const { iterations } = parsePath(path);
    const items: Record<string, unknown> = {};
    let steps = this.#outputs;
    for (const { path: loop, index } of iterations) {
      const first = this.#states.get(loop);
      if (this.#agents.has(loop)) {
        // Agent iterations have no values for expressions.
      } else if (first) items[first.as] = this.#stateOf(loop, index, first.state);
      else if (!this.#races.has(loop)) {
        const { as = "item", items: all = [] } = this.#items.get(loop) ?? {};
        items[as] = all[index];
      }
      if (!this.#races.has(loop)) items["index"] = index;
      steps = { ...steps, ...this.#iterationOutputs.get(`${loop}[${index}].`) };
    }
    const scope = {
      ...this.#common,
      ...(this.#addresses && {
        run: { ...Object(this.#common["run"]), ...this.#addresses.at(path) },
      }),
      ...(workspace && { workspace }),
      ...(variables && { variables }),
      ...this.#given?.items,
      ...items,
      steps: this.#given ? { ...this.#given.steps, ...steps } : steps,
    };
    if (secrets === undefined || secrets.size === 0) return scope;
    // Not enumerable, so that an expression that returns the complete scope does not reveal secrets.
    return Object.defineProperty(scope, "secrets", { value: Object.fromEntries(secrets) });
  }

  /** The output of the previous iteration. */
  #stateOf(repeat: string, index: number, first: unknown): unknown {
    if (index === 0) return first;
    const before = this.#iterationOutputs.get(`${repeat}[${index - 1}].`)?.[REPEAT_CHECK_ID];
    return (Object(before?.output) as { readonly state?: unknown }).state;
  }
}

/** Adds the scope of loop iterations, from the record of the loop's start. */
export function addLoop(
  scope: Scope,
  { path, input, startedAt }: Pick<JournalRecord, "path" | "input" | "startedAt">,
): void {
  const { items, as, max, state, maxTurns } = Object(input) as {
    readonly items?: readonly unknown[];
    readonly as?: string;
    readonly max?: number;
    readonly state?: unknown;
    readonly maxTurns?: number;
  };
  if (maxTurns !== undefined) return scope.addAgent(path, Object(input) as Config, startedAt);
  if (max === undefined && items === undefined) return scope.addRace(path);
  if (max === undefined) scope.addItems(path, as ?? "item", items ?? []);
  else scope.addState(path, as ?? "state", state ?? null);
}
