import { resourcePack } from "#kernel/resource/pack.ts";
import { NewReport, toDefinition } from "./report.ts";
import { reports } from "./resource.ts";
import { assertSource } from "./source.ts";

/**
 * Reports that packs bring. What they are about may come with the same pack and not be there yet, so that
 * here only their form is checked; one that does not fit says so when it is run.
 */
export const reportContent = resourcePack(reports, {
  schema: NewReport,
  after: ["tables", "queries"],
  environmentScoped: true,
  async prepare(platform, { name: _, description: __, ...input }) {
    const definition = toDefinition(input);
    assertSource(platform, definition.source);
    return definition;
  },
  toContent: ({ name, description, definition }) => ({ name, description, ...definition }),
});
