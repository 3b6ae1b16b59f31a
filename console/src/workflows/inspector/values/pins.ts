/**
 * Outputs that tests take for granted, each by the key of its step: those of others stay whoever pins at the same time.
 */
import { call, invalidate, useOp } from "../../../data/api.ts";
import { notify, notifyError } from "../../../ui/toast.tsx";

export interface Pins {
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Undefined takes the pin away. */
  readonly pin: (key: string, output: unknown) => Promise<void>;
}

const NONE: Readonly<Record<string, unknown>> = {};

export function usePins(workflowId: string): Pins {
  const { data } = useOp("workflows.pinned_data", { params: { id: workflowId } });
  const outputs = data?.data.outputs ?? NONE;
  const put = async (key: string, output: unknown): Promise<void> => {
    const params = { id: workflowId, key };
    if (output === undefined) await call("workflows.unpin_output", { params });
    else await call("workflows.pin_output", { params, body: { output } });
    invalidate(["workflows.pinned_data"]);
  };
  const pin = async (key: string, output: unknown): Promise<void> => {
    const before = outputs[key];
    try {
      await put(key, output);
      const undo = (): void => void put(key, before).catch(notifyError);
      notify(output === undefined ? "Unpinned" : "Pinned: tests take this output", undo);
    } catch (error) {
      notifyError(error);
    }
  };
  return { outputs, pin };
}
