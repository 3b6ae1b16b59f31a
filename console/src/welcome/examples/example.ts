import { call, type Input } from "../../data/api.ts";
import type { NextStep } from "../../data/welcome.ts";

/** An example for one of the goals that the first owner can choose. */
export interface Example {
  readonly pack: Input<"packs.install">["body"];
  /** Deploys the pack's resources and adds data, so that the example is not empty. */
  readonly fill: (made: Made) => Promise<Landing>;
}

export interface Landing {
  readonly path: string;
  readonly steps: readonly NextStep[];
}

/** Returns the id of a resource created by the pack, by kind and key. */
export type Made = (kind: string, key: string) => string;

/** Installs the example and fills it; reports each part when it starts. */
export async function setUp(
  { pack, fill }: Example,
  tell: (what: string) => void,
): Promise<Landing> {
  tell("Installing the example");
  const { data } = await call("packs.install", { body: pack });
  const ids = new Map(data.made.map(({ kind, key, id }) => [`${kind}/${key}`, id]));
  tell("Running the example");
  return fill((kind, key) => {
    const id = ids.get(`${kind}/${key}`);
    if (id === undefined) throw new Error(`The example has no ${kind}/${key}.`);
    return id;
  });
}

export async function publish(id: string): Promise<void> {
  await call("workflows.publish", { params: { id }, body: {} });
}

/** Starts a workflow with these inputs in sequence to keep the order of runs. */
export async function runWith(id: string, inputs: readonly unknown[]): Promise<readonly string[]> {
  const runs: string[] = [];
  for (const input of inputs) {
    const { data } = await call("workflows.trigger", { params: { id }, body: { input } });
    runs.push(data.runId);
  }
  return runs;
}

/** The common fields of all example packs. */
export const OURS = {
  version: "1.0.0",
  author: "Millrace",
  engines: { millrace: ">=0.1.0" },
} as const;
