import { executor } from "#domains/runs/index.ts";
import { savedQuery } from "#domains/workflows/index.ts";

/** The step that asks a saved query, with the rights of the person who deployed the workflow. */
export const savedQueryStep = executor({
  type: savedQuery,
  async run({ queryId, params, limit }, { perform }) {
    const body = { ...(params && { params }), ...(limit !== undefined && { limit }) };
    const answer = await perform("queries.run_saved", { params: { id: queryId }, body });
    return { output: (answer as { readonly data: unknown }).data };
  },
});
