/** Outputs that tests take for granted, by the id of a step. */
import { call, invalidate, useOp } from "../../data/api.ts";
import { notify, notifyError } from "../../ui/toast.tsx";

export interface Pins {
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Undefined takes the pin away. */
  readonly pin: (stepId: string, output: unknown) => Promise<void>;
}

export function usePins(workflowId: string): Pins {
  const { data } = useOp("workflows.pinned_data", { params: { id: workflowId } });
  const outputs = data?.data.outputs ?? NONE;
  const put = async (next: Readonly<Record<string, unknown>>): Promise<void> => {
    await call("workflows.pin_data", { params: { id: workflowId }, body: next });
    invalidate(["workflows.pinned_data"]);
  };
  const pin = async (stepId: string, output: unknown): Promise<void> => {
    const { [stepId]: _, ...others } = outputs;
    try {
      await put(output === undefined ? others : { ...others, [stepId]: output });
      const undo = (): void => void put(outputs).catch(notifyError);
      notify(output === undefined ? "Unpinned" : "Pinned: tests take this output", undo);
    } catch (error) {
      notifyError(error);
    }
  };
  return { outputs, pin };
}

const NONE: Readonly<Record<string, unknown>> = {};
