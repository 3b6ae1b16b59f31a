import type { Rights } from "#domains/identity/accounts/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { TextSource } from "../live-text/begin-text.ts";
import type { RunContext, WorkspaceFacts } from "../engine/run-context.ts";
import type { PerformingStep, PerformInput } from "../steps/perform-operation.ts";
import type { FileStep, StepFiles } from "../steps/step-files.ts";

/**
 * The needs of steps in addition to the memory of their run. The server provides everything; the command line, which
 * rehearses recorded runs, provides less.
 */
export interface StepHost {
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

/** Extension point with exactly one contribution. */
export const StepHostPoint = extensionPoint<StepHost>("runs.step_host");

const hosts = new WeakMap<PlatformServices["contributions"], StepHost>();

/** The host of steps in this process. */
export function hostOf({ contributions }: Pick<PlatformServices, "contributions">): StepHost {
  const known = hosts.get(contributions);
  if (known) return known;
  const [host] = contributionsTo(StepHostPoint, contributions);
  if (!host) throw new Error("No domain contributes the host of steps.");
  hosts.set(contributions, host);
  return host;
}
