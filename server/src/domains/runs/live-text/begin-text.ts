import { findStreamedStep, findTrigger, planOfVersion } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { RunContext } from "../engine/run-context.ts";
import { liveTextOf } from "./live-text.ts";
import { textWriterOf } from "./text-writer.ts";

/** The step that generates a text. */
export interface TextSource {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
}

/** Starts streaming the text of a step to viewers in this process and to the chat. */
export function beginText(
  { platform, run, path }: TextSource,
  { hasSecrets }: { readonly hasSecrets: boolean },
): (text: string) => void {
  const show = (text: string): void => liveTextOf(platform).add({ runId: run.id, path, text });
  // Model output can contain a secret split into pieces, which redaction cannot detect.
  if (run.triggerType !== "chat" || run.test || hasSecrets) return show;
  const write = textWriterOf(platform).begin(run);
  const isStreamed = findWhetherStreamed(platform, run, path);
  return (text) => {
    show(text);
    void isStreamed.then((streamed) => streamed && write(text));
  };
}

/** True for the step whose text the chat shows, and for the iterations of an agent in this step. */
async function findWhetherStreamed(
  platform: Platform,
  run: RunContext,
  path: string,
): Promise<boolean> {
  try {
    const version = await planOfVersion(platform, run.versionId);
    const { id } = run.trigger;
    const given = typeof id === "string" ? id : undefined;
    const trigger = version && findTrigger(version.definition, given)?.trigger;
    if (!version || trigger?.type !== "chat") return false;
    const step = findStreamedStep(version.definition, trigger);
    return step !== undefined && (path === step || TURN.exec(path)?.[1] === step);
  } catch (error) {
    platform.log.warn({ err: error }, "can't stream the text of a model");
    return false;
  }
}

const TURN = /^([^[]+)\[\d+\]\.\$turn$/;
