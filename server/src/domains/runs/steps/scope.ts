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

/** The facts of a run that expressions see. */
export type ScopedRun = Pick<
  RunContext,
  "id" | "createdAt" | "workspace" | "environment" | "workflowId" | "versionId" | "trigger" | "test"
>;

/** The outputs of one turn of an agent: what the model said, and what its calls gave. */
interface AgentTurnOutputs {
  readonly turn: unknown;
  readonly results: unknown;
}

/** An agent as its steps see it. */
export interface AgentHistory {
  /** With its templates evaluated when it began. */
  readonly config: Config;
  readonly startedAt: string | undefined;
  /** The turn of the step; counts from 0. */
  readonly turn: number;
  /** Up to that turn. */
  readonly turns: readonly AgentTurnOutputs[];
}

/** The values that not every step needs. */
interface ScopeExtras {
  readonly workspace?: WorkspaceFacts | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly secrets?: ReadonlyMap<string, string> | undefined;
}

/** The values that expressions see. It is updated as steps end, since building it anew is what costs. */
export class Scope {
  readonly #common: Readonly<Record<string, unknown>>;
  readonly #outputs: Outputs = {};
  /** By the prefix of the iteration. */
  readonly #iterationOutputs = new Map<string, Outputs>();
  readonly #items = new Map<string, { readonly as: string; readonly items: readonly unknown[] }>();
  /** By the path of the repeat: what its first turn sees. */
  readonly #states = new Map<string, { readonly as: string; readonly state: unknown }>();

  /** The paths of races, whose steps see what is around them. */
  readonly #races = new Set<string>();

  /** By the path of the agent: with what it began. */
  readonly #agents = new Map<string, Pick<AgentHistory, "config" | "startedAt">>();

  /** In a test of one step: what it sees of steps that are not in this run. */
  readonly #given: GivenValues | undefined;

  /** Of the steps that wait for calls, where there are such. */
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

  /** Adds the output of a step that ended. */
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

  /** Adds the items of a loop, and the name of one of them in its body. */
  addItems(path: string, as: string, items: readonly unknown[]): void {
    this.#items.set(path, { as, items });
  }

  addRace(path: string): void {
    this.#races.add(path);
  }

  /** Adds the configuration with which an agent began. */
  addAgent(path: string, config: Config, startedAt: string | undefined): void {
    this.#agents.set(path, { config, startedAt });
  }

  /** The agent around a step, with the outputs of its turns up to that of the step. */
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

  /** Adds the state with which a repeat begins, and the name of it in its body. */
  addState(path: string, as: string, state: unknown): void {
    this.#states.set(path, { as, state });
  }

  /** The values that the step at this path sees: outputs around it, and the items of its loops. */
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
        // The turns of an agent have nothing that expressions would see.
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
    // Hidden: an expression that takes its scope as a whole must not show them.
    return Object.defineProperty(scope, "secrets", { value: Object.fromEntries(secrets) });
  }

  /** The output of the turn before. */
  #stateOf(repeat: string, index: number, first: unknown): unknown {
    if (index === 0) return first;
    const before = this.#iterationOutputs.get(`${repeat}[${index - 1}].`)?.[REPEAT_CHECK_ID];
    return (Object(before?.output) as { readonly state?: unknown }).state;
  }
}

/** Adds what the iterations of a loop see, from the record of its start. */
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
