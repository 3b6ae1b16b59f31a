/**
 * Outputs that tests take for granted, each by the key of its step: those of others stay whoever pins at the same time.
 */
import { call, useOp } from "../../../data/api.ts";
import { findStep } from "../../graph/graph.ts";
import { notify, notifyError } from "../../../ui/toast.tsx";

export interface Pins {
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Undefined removes the pin. Resolves to false where nothing was pinned. */
  readonly pin: (key: string, output: unknown) => Promise<boolean>;
}

const NONE: Readonly<Record<string, unknown>> = {};

/** `saveFirst` saves the draft: the server pins outputs of saved steps. */
export function usePins(workflowId: string, saveFirst?: () => Promise<boolean>): Pins {
  const saved = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const { data } = useOp("workflows.pinned_data", { params: { id: workflowId } });
  const outputs = data?.data.outputs ?? NONE;
  const put = async (key: string, output: unknown): Promise<void> => {
    const params = { id: workflowId, key };
    if (output === undefined) await call("workflows.unpin_output", { params });
    else await call("workflows.pin_output", { params, body: { output } });
  };
  const isSaved = (key: string): boolean =>
    saved !== undefined && findStep(saved, key.replaceAll(".", "/")) !== undefined;
  const pin = async (key: string, output: unknown): Promise<boolean> => {
    const before = outputs[key];
    try {
      if (output !== undefined && !isSaved(key) && saveFirst && !(await saveFirst())) {
        notify("Not pinned: save the workflow first.");
        return false;
      }
      await put(key, output);
      const undo = (): void => void put(key, before).catch(notifyError);
      notify(output === undefined ? "Unpinned" : "Pinned: tests take this output", undo);
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    }
  };
  return { outputs, pin };
}
