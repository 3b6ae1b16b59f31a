import { state, TracesRead, WorkflowsWrite } from "#domains/workflows/index.ts";
import { executor } from "../steps/executor.ts";

/**
 * Reads or changes the state of the step's workflow. The change and its stored result are one commit, so a step that
 * starts again after a crash gets that result and counts nothing twice.
 */
export const stateStep = executor({
  type: state,
  async run({ action, key, ...rest }, { perform, rights, run }) {
    const own = await rights();
    // A workflow can use its own state, regardless of the deployer's permissions.
    const permissions = new Set([...own.permissions, TracesRead.name, WorkflowsWrite.name]);
    const within = { ...own, permissions };
    const params = { id: run.workflowId };
    const answer =
      action === "get"
        ? await perform("workflows.get_state", { params: { ...params, key } }, within)
        : await perform(
            "workflows.change_state",
            { params, body: { action, key, ...rest } },
            within,
          );
    const { value, revision } = (answer as { readonly data: StateAnswer }).data;
    return { output: { key, value: value ?? null, revision } };
  },
});

interface StateAnswer {
  readonly value?: unknown;
  readonly revision: number;
}
