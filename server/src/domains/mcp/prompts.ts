/** Prompts that users select: recommended steps for an agent. */
interface PromptText {
  readonly name: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly text: (argument: string) => string;
}

export const PROMPTS: readonly PromptText[] = [
  {
    name: "build_workflow",
    description: "Build a workflow, test it, and deploy it to staging",
    argument: { name: "goal", description: "Purpose of the workflow" },
    text: (goal) =>
      `Build a workflow: ${goal}\n\n1. Read millrace://guides/workflows and call list_node_types.\n2. Write a definition and call validate_workflow until there are no errors.\n3. Call create_workflow, then test_workflow with mocks for steps that call other systems. Check the input of each step.\n4. If the workflow has run before, call rehearse_workflow and explain every run with a difference.\n5. Call publish_workflow for staging. A person must confirm production.`,
  },
  {
    name: "explain_run",
    description: "Explain why a run failed, and how to fix it",
    argument: { name: "runId", description: "Id of the run" },
    text: (runId) =>
      `Call get_run for ${runId}. Explain which step failed, with which input and error, what caused it, and how to fix it: by a change of the definition (verify it with rehearse_workflow and this run), or of the data. Do not change anything yet.`,
  },
];
