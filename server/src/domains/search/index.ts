import { domain } from "#kernel/domain.ts";
import { searchEverything, SearchUse } from "./operations.ts";

export const search = domain({
  name: "search",
  summary: "Search across all areas.",
  permissions: [SearchUse],
  events: [],
  operations: [searchEverything],
});
