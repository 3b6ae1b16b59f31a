/** Prompts that people choose: the order in which an agent does well here. */
interface PromptText {
  readonly name: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly text: (argument: string) => string;
}

export const PROMPTS: readonly PromptText[] = [
  {
    name: "build_workflow",
    description: "Build a workflow, prove it, and bring it to staging",
    argument: { name: "goal", description: "What it is to do" },
    text: (goal) =>
      `Build a workflow: ${goal}\n\n` +
      "1. Read millrace://guides/workflows and call list_node_types.\n" +
      "2. Write a definition and call validate_workflow until nothing is wrong.\n" +
      "3. create_workflow, then test_workflow with mocks for what reaches outside; look at each step's input.\n" +
      "4. Of a workflow that has run before: rehearse_workflow, and explain every run that differs.\n" +
      "5. publish_workflow to staging. Production is for a person to confirm.",
  },
  {
    name: "explain_run",
    description: "Explain why a run failed, and what would mend it",
    argument: { name: "runId", description: "The id of the run" },
    text: (runId) =>
      `Call get_run for ${runId}. Say which step failed, with what input and which error, what led there, and what would mend it: ` +
      "a change of the definition (prove it by rehearse_workflow with this run), or of the data. Change nothing yet.",
  },
];
