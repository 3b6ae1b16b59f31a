import type { Rights } from "#domains/identity/accounts/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { TextSource } from "../live-text/begin-text.ts";
import type { RunContext, WorkspaceFacts } from "../engine/run-context.ts";
import type { PerformingStep, PerformInput } from "../steps/perform-operation.ts";
import type { FileStep, StepFiles } from "../steps/step-files.ts";

/**
 * The reach of steps beyond the memory of their run. The runs of a server have all of it; the command line, which takes
 * recorded runs through a definition without one, has another.
 */
export interface StepReach {
  readonly rights: (platform: Platform, run: RunContext) => Promise<Rights>;
  readonly workspace: (platform: Platform, run: RunContext) => Promise<WorkspaceFacts>;
  readonly variables: (
    platform: Platform,
    run: RunContext,
    names: readonly string[],
    rights: () => Promise<Rights>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly perform: (
    step: PerformingStep,
    place: { readonly operation: string; readonly call: number },
    input: PerformInput,
  ) => Promise<unknown>;
  readonly files: (step: FileStep, rights: () => Promise<Rights>) => StepFiles;
  readonly beginText: (
    source: TextSource,
    about: { readonly hasSecrets: boolean },
  ) => (text: string) => void;
}

/** Where the reach is contributed, once. */
export const StepReachPoint = extensionPoint<StepReach>("runs.step_reach");

const reaches = new WeakMap<PlatformServices["contributions"], StepReach>();

/** The reach of steps here. */
export function reachOf({ contributions }: Pick<PlatformServices, "contributions">): StepReach {
  const known = reaches.get(contributions);
  if (known) return known;
  const [reach] = contributionsTo(StepReachPoint, contributions);
  if (!reach) throw new Error("Nothing says what steps can reach.");
  reaches.set(contributions, reach);
  return reach;
}
