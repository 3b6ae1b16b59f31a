/**
 * Pinned outputs by step key. Each pin is saved separately, so that users who pin at the same time do not overwrite
 * each other.
 */
import { call, useOp } from "../../../data/api.ts";
import { perform } from "../../../data/use-command.ts";
import { findStep } from "../../graph/graph.ts";
import { notify } from "../../../ui/toast.tsx";

export interface Pins {
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Undefined removes the pin. Resolves to false if the request failed. */
  readonly pin: (key: string, output: unknown) => Promise<boolean>;
}

const NONE: Readonly<Record<string, unknown>> = {};

/** `saveFirst` saves the draft: the server can only pin outputs of saved steps. */
export function usePins(workflowId: string, saveFirst?: () => Promise<boolean>): Pins {
  const saved = useOp("workflows.get", { params: { id: workflowId } }).data?.data;
  const { data } = useOp("workflows.pinned_data", { params: { id: workflowId } });
  const outputs = data?.data.outputs ?? NONE;
  const put = (key: string, output: unknown): Promise<unknown> => {
    const params = { id: workflowId, key };
    return output === undefined
      ? call("workflows.unpin_output", { params })
      : call("workflows.pin_output", { params, body: { output } });
  };
  const isSaved = (key: string): boolean =>
    saved !== undefined && findStep(saved, key.replaceAll(".", "/")) !== undefined;
  const pin = async (key: string, output: unknown): Promise<boolean> => {
    const before = outputs[key];
    const params = { id: workflowId, key };
    const undo = (): Promise<unknown> => put(key, before);
    if (output === undefined) {
      return !!(await perform(
        "workflows.unpin_output",
        { params },
        { said: "Data unpinned", undo },
      ));
    }
    if (!isSaved(key) && saveFirst && !(await saveFirst())) {
      notify("Data not pinned. Save the workflow first.");
      return false;
    }
    const said = "Data pinned. Tests and dry runs use it";
    return !!(await perform("workflows.pin_output", { params, body: { output } }, { said, undo }));
  };
  return { outputs, pin };
}
