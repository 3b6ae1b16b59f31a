import { executor } from "#domains/runs/index.ts";
import { savedReport } from "#domains/workflows/index.ts";

/** The step that runs a saved report, with the rights of the person who deployed the workflow. */
export const savedReportStep = executor({
  type: savedReport,
  async run({ reportId, filter, from, to, timezone }, { perform }) {
    const query = {
      ...(filter && { filter: JSON.stringify(filter) }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(timezone !== undefined && { timezone }),
    };
    const answer = await perform("reports.run", { params: { id: reportId }, query });
    return { output: (answer as { readonly data: unknown }).data };
  },
});
